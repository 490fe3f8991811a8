"""The report of finished runs: one HTML file that needs nothing else, not even a network.

Tables and plots are in the page; transcripts are embedded in compressed blocks and opened on demand.
"""

from __future__ import annotations

import base64
import html
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError, SupermarketError
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import read_episodes
from supermarket_env.metrics.row import EpisodeRow, episode_row
from supermarket_env.report.latex import latex_table
from supermarket_env.report.ledger import ends_of, faults_of
from supermarket_env.report.results import Results, panel_titles, read_results
from supermarket_env.report.scores import score_cells, score_columns, score_notes
from supermarket_env.report.tables import (
    FULL_COLUMNS,
    UNDEFINED,
    agent_order,
    csv_table,
    figure,
    groups_of,
    interval,
    markdown_table,
    notes,
)
from supermarket_env.report.transcript import product_names, products_of, transcript

BLOCK: Final = 16
"""Episodes compressed together: enough to share words, few enough to open quickly."""

EXTREMES: Final = 5
MAX_RADARS: Final = 4
"""Runs whose main figures are drawn; the table shows those of all."""


def save_report(runs: Sequence[Path], out: Path, *, title: str = "") -> Path:
    """Write the report of one run or several.

    Args:
        runs: Finished run directories.
        out: The .html file.
        title: Heading; by default what was run on what.

    Raises:
        RunFolderError: If a run is not finished.
        LogError: If its log breaks the contract.
        ConfigError: If the file cannot be written, or no run is given.
    """
    if not runs:
        raise ConfigError("a report needs at least one run")
    text = report_page([read_results(run) for run in runs], title=title)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{out}: the report cannot be written ({error.strerror or error})") from error
    return out


def report_page(runs: Sequence[Results], *, title: str = "") -> str:
    """Return the page of finished runs."""
    gathered = _Gathered()
    for number, run in enumerate(runs):
        for episode in read_episodes(run.path):
            gathered.add(number, episode)
    gathered.flush()
    names = panel_titles(runs) if len(runs) > 1 else [runs[0].title]
    parts = {
        "TITLE": html.escape(title or f"Report{f' of {len(runs)} runs' if len(runs) > 1 else ''}: {runs[0].title}"),
        "RESULTS": "\n".join(_results(run, name) for run, name in zip(runs, names, strict=True)),
        "PLOTS": "\n".join(_plots(runs)),
        "LEDGER": "\n".join(
            _ledger(gathered.rows, number, run, name)
            for number, (run, name) in enumerate(zip(runs, names, strict=True))
        ),
        "EXTREMES": _extremes(gathered, runs),
        "MANIFEST": "\n".join(_manifest(run, name) for run, name in zip(runs, names, strict=True)),
        "DATA": _script_safe(gathered.data(names, [run.privileged for run in runs])),
        "BLOCKS": "\n".join(
            f'<script type="text/plain" id="b{number}">{block}</script>' for number, block in enumerate(gathered.blocks)
        ),
    }
    page = (resources.files("supermarket_env.report") / "data" / "page.html").read_text(encoding="utf-8")
    head, *rest = page.split("@@")
    return head + "".join(parts[piece] if number % 2 == 0 else piece for number, piece in enumerate(rest))


class _Gathered:
    """Everything about the episodes, read once, transcripts compressed block by block."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, EpisodeRow]] = []
        self.blocks: list[str] = []
        self._pending: list[dict[str, Any]] = []
        self._products: dict[str | None, set[str]] = {}
        self._stores: set[str] = set()

    def add(self, run: int, episode: Episode) -> None:
        found = transcript(episode)
        self.rows.append((run, episode_row(episode)))
        self._pending.append(found)
        self._products.setdefault(episode.catalogue, set()).update(products_of(found))
        if episode.store is not None:
            self._stores.add(episode.store)
        if len(self._pending) == BLOCK:
            self.flush()

    def flush(self) -> None:
        if self._pending:
            text = json.dumps(self._pending, ensure_ascii=False, separators=(",", ":"))
            self.blocks.append(base64.b64encode(zlib.compress(text.encode(), 9)).decode())
            self._pending = []

    def data(self, runs: Sequence[str], privileged: Sequence[Sequence[str]]) -> dict[str, Any]:
        names: dict[str, str] = {}
        for catalogue, ids in self._products.items():
            names |= product_names(catalogue, ids)
        maps = {store: plan for store in sorted(self._stores) if (plan := _map(store)) is not None}
        return {
            "runs": list(runs),
            "block": BLOCK,
            "names": names,
            "maps": maps,
            "episodes": [_entry(run, row) for run, row in self.rows],
            "privileged": privileged,
        }


def _entry(run: int, row: EpisodeRow) -> list[Any]:
    satisfaction = row.truth.need_satisfaction
    return [
        run,
        row.agent,
        row.stratum or "",
        row.task_id or row.episode_id,
        row.trial,
        row.reason,
        None if satisfaction is None else round(satisfaction, 4),
        row.truth.complete,
        row.turns,
        sum(row.faults),
        row.episode_id,
    ]


def _map(store: str) -> dict[str, Any] | None:
    """Return the geometry of a store, ``None`` if its layout is not at hand."""
    from supermarket_env.store.load import load_layout

    try:
        layout = load_layout(store.partition("@")[0])
    except (SupermarketError, OSError):
        return None
    return {
        "w": layout.width,
        "h": layout.height,
        "nodes": {node.id: [node.x, node.y] for node in layout.nodes},
        "sections": {s.id: [s.x0, s.y0, s.x1, s.y1, s.department] for s in layout.sections},
    }


def _script_safe(data: Any) -> str:
    """Return JSON that cannot end its script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> str:
    """Return a table; cells are HTML already."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    inside = f"<table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="Table">{inside}</div>'


def _results(run: Results, name: str) -> str:
    groups = agent_order(groups_of(run.metrics), run.agents)
    head = [
        "assistant",
        "n",
        *(f"{html.escape(c.title)}<br><small>{html.escape(c.unit)}</small>" for c in FULL_COLUMNS),
    ]
    rows = []
    for group in groups:
        agent = str(group.get("agent", "all"))
        star = "*" if agent in run.privileged else ""
        infra = group.get("n_infra", 0)
        cells = [html.escape(agent) + star, f"{group['n']}" + (f"<br><small>+{infra} infra</small>" if infra else "")]
        for column in FULL_COLUMNS:
            value, bounds = figure(group, column.path), interval(group, column.path)
            text = UNDEFINED if value is None else f"{value:.{column.digits}f}"
            if bounds is not None:
                digits = min(column.digits, 2)
                text += f"<br><small>[{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]</small>"
            cells.append(text)
        rows.append(cells)
    below = "".join(f"<li>{html.escape(note)}</li>" for note in notes(groups, run.privileged))
    order = {"agents": run.agents, "privileged": run.privileged}
    texts = {
        "csv": csv_table(run.metrics, **order, scores=score_columns(run.scores)),
        "md": markdown_table(run.metrics, **order),
        "tex": latex_table(run.metrics, **order),
    }
    files = " ".join(_download(f"results.{ending}", text, f".{ending}") for ending, text in texts.items())
    return (
        f"<h3>{html.escape(name)}</h3>\n{_table(head, rows)}\n<p>Brackets: 95 % intervals, n: trips. "
        f"This table as {files}</p><ul>{below}</ul>{_scores(run)}"
    )


def _scores(run: Results) -> str:
    """Return what the scorers of a run gave, nothing without any."""
    if not run.scores:
        return ""
    head, rows = score_cells(run.scores, run.privileged)
    cells = [[html.escape(cell) for cell in row] for row in rows]
    below = "".join(f"<li>{html.escape(note)}</li>" for note in score_notes(run.scores))
    return f"<h4>Scores</h4>\n{_table(head, cells) if cells else ''}\n<ul>{below}</ul>"


def _download(name: str, text: str, label: str) -> str:
    """Return a link that holds a file."""
    data = base64.b64encode(text.encode()).decode()
    return f'<a download="{html.escape(name)}" href="data:text/plain;base64,{data}">{html.escape(label)}</a>'


def _plots(runs: Sequence[Results]) -> Iterator[str]:
    """Yield the pictures as images inside the page, each with what it shows as its text."""
    import tempfile

    from supermarket_env.report.panels import MAX_PANELS
    from supermarket_env.report.plot_curves import SUCCESS_CURVE, save_goals, save_success
    from supermarket_env.report.plot_points import save_pareto, save_radar

    few = runs[:MAX_PANELS]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        drawn = [
            ("Share of trips completed by turn", save_success(few, place / "complete.png", path=SUCCESS_CURVE)),
            ("Share of trips with a purchase by turn", save_success(few, place / "success.png", path=("SR(t)",))),
            ("Goals that came into view within h turns", save_goals(few, place / "goals.png")),
            ("Need satisfaction against turns", save_pareto(few, place / "pareto.png")),
            *(
                (f"Main figures of each assistant: {run.title}", save_radar(run, place / f"radar{number}.png"))
                for number, run in enumerate(few[:MAX_RADARS])
            ),
        ]
        for text, (picture, _, numbers) in drawn:
            yield _image(picture.read_bytes(), text)
            rows = numbers.read_text(encoding="utf-8")
            label = f"numbers of this picture ({rows.count(chr(10)) - 1} rows, CSV)"
            yield f"<p><small>{_download(numbers.name, rows, label)}</small></p>"


def _image(png: bytes, text: str) -> str:
    """Return an image element; a palette keeps flat colours and makes the file a third as large."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        small = io.BytesIO()
        picture.convert("RGB").quantize(128).save(small, "PNG", optimize=True)
    data = base64.b64encode(small.getvalue()).decode()
    return f'<figure tabindex="0"><img alt="{html.escape(text)}" src="data:image/png;base64,{data}"></figure>'


def _ledger(rows: Sequence[tuple[int, EpisodeRow]], run: int, results: Results, name: str) -> str:
    """Return faults, ends and costs of one run's assistants."""
    mine: dict[str, list[EpisodeRow]] = {}
    for number, row in rows:
        if number == run:
            mine.setdefault(row.agent, []).append(row)
    order = [*results.agents, *sorted(set(mine) - set(results.agents))]
    groups = [(results.label(agent), mine[agent]) for agent in order if agent in mine]
    tables = "\n".join(_table(table.head, table.rows) for table in (faults_of(groups), ends_of(groups)))
    below = (
        "Below each count: % of trips with any (of claims: % false), of tokens and cost the mean a trip, with 95 % "
        "intervals over tasks. Cost is in the currency of the run's price list. n/a: none was logged."
    )
    return f"<h3>{html.escape(name)}</h3>\n{tables}\n<p><small>{below}</small></p>"


def _extremes(gathered: _Gathered, runs: Sequence[Results]) -> str:
    """Return the worst and best episodes of each assistant by need satisfaction, linked to their transcripts."""
    found: dict[tuple[int, int, str], list[tuple[float, int, int, EpisodeRow]]] = {}
    for number, (run, row) in enumerate(gathered.rows):
        value = row.truth.need_satisfaction
        if value is not None and not row.infra:
            agents = runs[run].agents
            place = agents.index(row.agent) if row.agent in agents else len(agents)
            found.setdefault((run, place, row.agent), []).append((value, -row.turns, number, row))
    rows = []
    for (run, _, agent), entries in sorted(found.items()):
        entries.sort(key=lambda entry: entry[:3])
        label = html.escape(runs[run].label(agent)) + (f" <small>(run {run + 1})</small>" if len(runs) > 1 else "")
        best = sorted(entries, key=lambda entry: (-entry[0], -entry[1], entry[2]))
        rows.append([label, str(len(entries)), _links(entries[:EXTREMES]), _links(best[:EXTREMES])])
    head = ["assistant", "n<br><small>trips</small>", "worst<br><small>NS, 0..1</small>",
            "best<br><small>NS, 0..1</small>"]  # fmt: skip
    return _table(head, rows) if rows else "<p>n/a: no episode has a truth.</p>"


def _links(entries: Sequence[tuple[float, int, int, EpisodeRow]]) -> str:
    return "<br>".join(
        f'<a href="#transcript" data-episode="{number}">{html.escape(row.task_id or row.episode_id)}</a> {value:.2f}'
        for value, _, number, row in entries
    )


def _manifest(run: Results, name: str) -> str:
    shown: Mapping[str, Any] = dict(run.manifest)
    text = html.escape(json.dumps(shown, indent=1, ensure_ascii=False))
    return f"<details><summary>{html.escape(name)}</summary><pre>{text}</pre></details>"
