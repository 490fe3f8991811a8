"""The realism report on disk: JSON, a table in Markdown and a page of small pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supermarket_env.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from supermarket_env.run.realism import Study
    from supermarket_env.user_sim.realism import Finding

COLUMNS = 4
_MARKS = {"holds": ("o", "black"), "fails": ("X", "black"), "too few": ("v", "white"), "reported": ("D", "white"),
          "uncalibrated": ("s", "white")}  # fmt: skip
_LETTERS = {"tune": " (tuned)", "held_out": " (held out)"}
_TITLES = {
    "tune": "Facts that may set defaults",
    "held_out": "Facts held out",
    "disputed": "Disputed: reported, not judged",
    "uncalibrated": "Uncalibrated",
    "not_expressible": "Not expressible",
}


def save_report(study: Study, out: Path) -> tuple[Path, ...]:
    """Write ``realism.json``, ``realism.md`` and ``realism.png`` and return their paths.

    Raises:
        ConfigError: If the directory cannot be written.
    """
    files = (out / "realism.json", out / "realism.md", out / "realism.png")
    try:
        out.mkdir(parents=True, exist_ok=True)
        files[0].write_text(json.dumps(as_json(study), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        files[1].write_text(as_markdown(study), encoding="utf-8")
        draw(study, files[2])
    except OSError as error:
        raise ConfigError(f"{out}: the report cannot be written ({error})") from error
    return files


def as_json(study: Study) -> dict[str, Any]:
    """Return the report as JSON-ready data; what has no figure is null."""
    from supermarket_env.user_sim.realism import passed, verdict_line

    return {
        "schema": "supermarket.realism/1",
        "user": study.user,
        "user_hash": study.user_hash,
        "store": study.store,
        "catalogue": study.catalogue,
        "trips": study.n_trips,
        "seeds": study.seeds,
        "passed": passed(study.findings),
        "verdict": verdict_line(study.user, study.findings),
        "facts": [_fact_json(finding) for finding in study.findings],
        "uncalibrated_traits": uncalibrated_traits(),
    }


def uncalibrated_traits() -> list[str]:
    """Return the traits of the default population for whose range no source was found."""
    from supermarket_env.user_sim.persona import TRAIT_TABLE

    return [trait.name for trait in TRAIT_TABLE if trait.source == "uncalibrated"]


def _fact_json(finding: Finding) -> dict[str, Any]:
    fact, measured = finding.fact, finding.measured
    return {
        "id": fact.id,
        "fact": fact.text,
        "published": fact.published or None,
        "source": fact.source or None,
        "role": fact.role,
        "tolerance": [_bound(fact.low), _bound(fact.high)] if fact.measure else None,
        "unit": fact.unit if fact.measure else None,
        "simulated": None if measured is None else round(measured.value, 6),
        "interval": None if measured is None else [round(measured.low, 6), round(measured.high, 6)],
        "n": None if measured is None else measured.n,
        "verdict": finding.verdict,
        "note": fact.note,
    }


def _bound(value: float) -> float | None:
    return None if math.isinf(value) else value


def as_markdown(study: Study) -> str:
    """Return the report as a page: a table for each role, the verdict last."""
    from supermarket_env.user_sim.realism import verdict_line
    from supermarket_env.user_sim.realism_facts import ROLES, Role

    lines = [
        f"# Realism of the user `{study.user}`",
        "",
        f"{study.n_trips} trips of users left alone (assistant `silent`) in `{study.store}` with catalogue "
        f"`{study.catalogue}`, training tasks of the {study.seeds} seeds. Intervals: 95 %, resampling trips.",
    ]
    roles: tuple[Role, ...] = tuple(ROLES)
    for role in roles:
        mine = [finding for finding in study.findings if finding.fact.role == role]
        if mine:
            lines += ["", f"## {_TITLES[role]}", "", f"{ROLES[role].capitalize()}.", "", *_table(role, mine)]
    lines += [
        "",
        f"Traits without any source: {', '.join(uncalibrated_traits())}.",
        "",
        verdict_line(study.user, study.findings),
    ]
    return "\n".join(lines) + "\n"


def _table(role: str, findings: Sequence[Finding]) -> list[str]:
    if role == "not_expressible":
        rows = ["| no. | fact | published | why not | source |", "|---|---|---|---|---|"]
        return rows + [
            f"| {f.fact.id} | {f.fact.text} | {f.fact.published} | {f.fact.note} | {f.fact.source} |" for f in findings
        ]
    rows = [
        "| no. | fact | published | tolerance | simulated | n | verdict | how it is measured | source |",
        "|---|---|---|---|---|---:|---|---|---|",
    ]
    for f in findings:
        n = f.measured.n if f.measured else 0
        rows.append(
            f"| {f.fact.id} | {f.fact.text} | {f.fact.published or 'none'} | {f.fact.tolerance} | {figure_of(f)} | "
            f"{n} | {f.verdict} | {f.fact.note} | {f.fact.source or 'none'} |"
        )
    return rows


def figure_of(finding: Finding) -> str:
    """Return a figure with its interval in words, `n/a` when there is none."""
    if finding.measured is None:
        return "n/a"
    m = finding.measured
    return f"{m.value:.3f} [{m.low:.3f}, {m.high:.3f}]"


def draw(study: Study, out: Path) -> Path:
    """Draw one small picture for each measured fact: tolerance grey, figure with its interval."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = [finding for finding in study.findings if finding.measured is not None]
    rows = max(1, math.ceil(len(shown) / COLUMNS))
    figure = Figure(figsize=(13.0, 1.75 * rows + 0.9), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, COLUMNS, squeeze=False)
    for axes, finding in zip(panels.flat, shown, strict=False):
        _panel(axes, finding)
    for axes in list(panels.flat)[len(shown) :]:
        axes.set_axis_off()
    figure.suptitle(
        f"User {study.user!r} left alone ({study.n_trips} trips, {study.store}) beside published facts. "
        "Grey: tolerance (hatched: disputed range). Bars: 95 % intervals.",
        fontsize=11,
    )
    figure.savefig(out)
    return out


def _panel(axes: Axes, finding: Finding) -> None:
    fact, m = finding.fact, finding.measured
    assert m is not None
    finite = [x for x in (fact.low, fact.high, m.low, m.high, m.value) if math.isfinite(x)]
    low, high = min(finite), max(finite)
    pad = 0.25 * (high - low) or 0.1
    left, right = low - pad, high + pad
    if math.isfinite(fact.low) or math.isfinite(fact.high):
        disputed = fact.role == "disputed"
        axes.axvspan(
            max(fact.low, left), min(fact.high, right), facecolor="white" if disputed else "#d0d0d0",
            hatch="////" if disputed else None, edgecolor="#a0a0a0" if disputed else "none", linewidth=0.0,
        )  # fmt: skip
    marker, face = _MARKS[finding.verdict]
    axes.errorbar(
        [m.value], [0.0], xerr=[[max(0.0, m.value - m.low)], [max(0.0, m.high - m.value)]], color="black",
        marker=marker, markersize=8, markerfacecolor=face, capsize=4, linewidth=1.4,
    )  # fmt: skip
    axes.set_xlim(left, right)
    axes.set_ylim(-1.0, 1.0)
    axes.set_yticks([])
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel(f"{fact.unit}; {m.value:.3g}, n = {m.n}: {finding.verdict}", fontsize=8.5)
    role = _LETTERS.get(fact.role, "")
    axes.set_title(_short(f"{fact.id}{role} {fact.text}"), fontsize=8.5, loc="left")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _short(text: str, length: int = 40) -> str:
    """Return a title of at most two lines."""
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > length and len(lines) < 2:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
