"""The sensitivity report on paper: tables in Markdown and CSV, and two pictures that survive a grey printer."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError
from supermarket_env.report.robustness import UPLIFT, Effect, Robustness, summary
from supermarket_env.run.populations import Condition

REPORT_FILE: Final = "report.md"
RANKINGS_PICTURE: Final = "sensitivity_rankings.png"
ABLATION_PICTURE: Final = "sensitivity_ablation.png"


def verdict(found: Robustness) -> str:
    """Return the findings in one line."""
    robust = sum(claim.robust for claim in found.claims)
    tau = math.fsum(found.taus) / len(found.taus)
    low, high = found.tau_interval
    return (
        f"sensitivity: {robust} of {len(found.claims)} claims hold in 90 % of {len(found.taus)} populations; "
        f"Kendall's tau with the default ranking {tau:.2f} [{low:.2f}, {high:.2f}], lowest {min(found.taus):.2f}"
    )


def claims_table(found: Robustness) -> str:
    """Return the Markdown table of all pairs, the shakiest first; only robust ones read as claims."""
    head = ["pair", "gap, default", "holds in", "smallest gap", "verdict", "goes with", "rho", "p"]
    rows = []
    for claim in sorted(found.claims, key=lambda c: (c.share, c.default_gap)):
        rho = "n/a" if claim.rho is None else f"{claim.rho:+.2f}"
        p = "n/a" if claim.p is None else f"{claim.p:.3f}"
        sign = ">" if claim.robust else "?"
        rows.append([
            f"{claim.better} {sign} {claim.worse}", f"{claim.default_gap:+.3f}",
            f"{100 * claim.share:.0f} % [{100 * claim.low:.0f}, {100 * claim.high:.0f}]", f"{claim.smallest_gap:+.3f}",
            "robust" if claim.robust else "not robust", f"`{claim.setting}`" if claim.setting else "n/a", rho, p,
        ])  # fmt: skip
    return _markdown(head, rows)


def means_table(found: Robustness) -> str:
    """Return the Markdown table of need satisfaction by assistant: default, and over the drawn populations."""
    default, *drawn = found.means
    rows = []
    for agent in found.agents:
        values = sorted(found.means[name][agent] for name in drawn)
        middle = values[len(values) // 2]
        rows.append([
            agent, f"{found.means[default][agent]:.3f}", f"{middle:.3f}", f"{values[0]:.3f} to {values[-1]:.3f}",
        ])  # fmt: skip
    return _markdown(["assistant", "NS, default", "NS, median population", "lowest to highest"], rows)


def strongest_table(effects: Sequence[Effect], figure: str, agent: str, count: int = 12) -> str:
    """Return the Markdown table of the settings that move one figure of one assistant most, the clear ones only."""
    chosen = [e for e in effects if e.figure == figure and e.agent == agent and e.clear]
    chosen.sort(key=lambda e: -abs(e.change or 0.0))
    rows = [
        [f"`{e.setting}`", e.end, f"{e.value:g}", f"{e.change:+.3f}", f"{e.se:.3f}", str(e.n)] for e in chosen[:count]
    ]
    return _markdown(["setting", "end", "value", f"change of {figure}, {agent}", "s.e.", "tasks"], rows)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def write_report(
    out: Path, found: Robustness, drawn: Sequence[Condition], effects: Sequence[Effect], *, title: str
) -> list[Path]:
    """Write everything into a folder and return the files.

    Args:
        out: The folder; made if missing.
        found: Rankings.
        drawn: The drawn populations.
        effects: Effects of the ablations; empty leaves their table and picture out.
        title: What was played, for headings.

    Raises:
        ConfigError: A file cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        files = [out / "sensitivity.json", out / "populations.csv", out / REPORT_FILE, out / RANKINGS_PICTURE]
        files[0].write_text(json.dumps(summary(found), indent=1) + "\n", encoding="utf-8")
        _write_csv(files[1], *_population_rows(found, drawn))
        files[2].write_text(_page(found, effects, title), encoding="utf-8")
        draw_rankings(found, files[3], title=title)
        if effects:
            files += [out / "ablation.csv", out / ABLATION_PICTURE]
            _write_csv(files[4], Effect._fields, [list(e) for e in effects])
            draw_ablations(effects, files[5], title=title)
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written ({error.strerror or error})") from None
    return files


def _page(found: Robustness, effects: Sequence[Effect], title: str) -> str:
    parts = [
        f"# Sensitivity: {title}", means_table(found), claims_table(found),
        "`?`: not robust, holds in fewer than 90 % of the populations. `goes with`: the drawn setting with the largest "
        "rank correlation with the gap; p: how often the largest of all is as large by chance.",
    ]  # fmt: skip
    if effects:
        agents = list(dict.fromkeys(e.agent for e in effects))
        parts += [strongest_table(effects, "NS", agent) for agent in agents]
    return "\n\n".join([*parts, verdict(found)]) + "\n"


def _population_rows(found: Robustness, drawn: Sequence[Condition]) -> tuple[list[str], list[list[Any]]]:
    settings = sorted(drawn[0].settings) if drawn else []
    rows: list[list[Any]] = []
    for k, (name, means) in enumerate(found.means.items()):
        values = [drawn[k - 1].settings[s] for s in settings] if k else [""] * len(settings)
        rows.append([name, found.taus[k - 1] if k else 1.0, *(means[a] for a in found.agents), *values])
    return ["population", "tau", *(f"NS {a}" for a in found.agents), *settings], rows


def _write_csv(file: Path, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(head)
        writer.writerows([["" if v is None else v for v in row] for row in rows])


# --- pictures --------------------------------------------------------------------------------------------------------


def _figure(width: float, height: float) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def draw_rankings(found: Robustness, out: Path, *, title: str) -> None:
    """Draw need satisfaction of each assistant by population, and the share in which each pair keeps its order."""
    figure = _figure(11.5, 5.2)
    left, right = figure.subplots(1, 2)
    default, *drawn = found.means
    places = list(range(len(found.agents)))
    for name in drawn:
        left.plot(
            [found.means[name][a] for a in found.agents], places, color="0.65", lw=0.6, marker=".", ms=4, zorder=1
        )
    left.plot(
        [found.means[default][a] for a in found.agents], places, color="black", lw=1.6, marker="D", ms=6, zorder=2,
        label="default population",
    )  # fmt: skip
    left.plot([], [], color="0.65", lw=0.8, marker=".", label=f"{len(drawn)} drawn populations")
    left.set_yticks(places, found.agents)
    left.invert_yaxis()
    left.set_xlabel("need satisfaction (NS)")
    left.legend(frameon=False, loc="upper left")
    left.set_title("a line that goes back to the right: another order", fontsize=10)
    claims = sorted(found.claims, key=lambda c: (-c.share, -c.default_gap))
    for place, claim in enumerate(claims):
        filled = "black" if claim.robust else "white"
        right.plot([100 * claim.low, 100 * claim.high], [place, place], color="0.5", lw=1.2, zorder=1)
        right.plot(100 * claim.share, place, "o", mfc=filled, mec="black", ms=6, zorder=2)
    right.set_yticks(range(len(claims)), [f"{c.better} > {c.worse}" for c in claims], fontsize=8)
    right.invert_yaxis()
    right.axvline(90.0, color="0.3", ls="--", lw=1.0)
    right.set_xlabel("populations in which it holds (%), 95 % interval")
    right.set_title("filled: robust (90 % or more)", fontsize=10)
    figure.suptitle(f"Does the ranking depend on the user? {title}", fontsize=11)
    figure.savefig(out, metadata={"Software": None})


def draw_ablations(effects: Sequence[Effect], out: Path, *, title: str) -> None:
    """Draw the heat map: settings off and extreme against figures, darker for larger, signed, blank when not clear."""
    columns = _columns(effects)
    settings = _order(effects, columns)
    cells = {(e.setting, e.end, e.agent, e.figure): e for e in effects}
    figure = _figure(15.0, 1.8 + 0.2 * len(settings))
    panels = figure.subplots(1, 2, sharey=True)
    image = None
    for axes, end in zip(panels, ("off", "extreme"), strict=True):
        grid = [[_shade(cells.get((s, end, a, f))) for a, f in columns] for s in settings]
        image = axes.imshow(grid, cmap="Greys", vmin=0.0, vmax=1.5, aspect="auto", interpolation="nearest")
        for row, setting in enumerate(settings):
            for column, (agent, name) in enumerate(columns):
                effect = cells.get((setting, end, agent, name))
                if effect is None:
                    axes.text(column, row, "/", ha="center", va="center", fontsize=6, color="0.6")
                elif effect.clear and effect.scaled is not None:
                    ink = "white" if abs(effect.scaled) > 0.8 else "black"
                    axes.text(column, row, f"{effect.scaled:+.1f}", ha="center", va="center", fontsize=6, color=ink)
        names = [f"{figure_name}, {agent}" for agent, figure_name in columns]
        axes.set_xticks(range(len(columns)), names, fontsize=7.5, rotation=90)
        axes.tick_params(top=True, labeltop=True)
        axes.set_title(f"{end}", fontsize=11)
    panels[0].set_yticks(range(len(settings)), settings, fontsize=7)
    if image is not None:
        figure.colorbar(image, ax=list(panels), shrink=0.4, label="size of the change (standard deviations over tasks)")
    figure.suptitle(f"One setting of the user off or extreme; numbers where clear of chance. {title}", fontsize=11)
    figure.savefig(out, metadata={"Software": None})


def _columns(effects: Sequence[Effect]) -> list[tuple[str, str]]:
    """Return (assistant, figure): need satisfaction of all, every figure of the last assistant that varies."""
    agents = list(dict.fromkeys(e.agent for e in effects))
    varies = {(e.agent, e.figure) for e in effects if e.scaled is not None}
    columns = [(agent, "NS") for agent in agents]
    last = agents[-1]
    columns += [(last, f) for f in dict.fromkeys(e.figure for e in effects) if f != "NS" and f != UPLIFT]
    columns.append((last, UPLIFT))
    return [column for column in columns if column in varies]


def _order(effects: Sequence[Effect], columns: Sequence[tuple[str, str]]) -> list[str]:
    """Return the settings, those with the largest clear effect first."""
    largest: dict[str, float] = {}
    for e in effects:
        size = abs(e.scaled) if e.clear and e.scaled is not None and (e.agent, e.figure) in columns else 0.0
        largest[e.setting] = max(largest.get(e.setting, 0.0), size)
    return sorted(largest, key=lambda s: -largest[s])


def _shade(effect: Effect | None) -> float:
    return abs(effect.scaled) if effect is not None and effect.clear and effect.scaled is not None else 0.0
