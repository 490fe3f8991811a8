"""What each difficulty dial moves: gaps in need satisfaction between four assistants, setting by setting.

    python benchmarks/dials.py                          # 600 tasks a setting; rewrites docs/dials.md and its figure
    python benchmarks/dials.py --tasks 60 --dry --only familiarity,map_error
    python benchmarks/dials.py --work runs/dials        # keeps finished settings there and uses them again

The settings of a dial share task seeds and luck. A dial states the gap it moves and the sign; it must do so at every
step (in the mean) and from the first to the last setting by more than chance (95 % interval of the paired change).
Exit code 1 when a stated claim fails.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from probe_page import DOCS, number, rows, satisfaction
from user_page import table, write_table

from supermarket_env.rules.twins import source_hash
from supermarket_env.stats import bootstrap_ci, paired_difference
from supermarket_env.tasks.draws import seed_of
from supermarket_env.tasks.sample import Dials, sample_task
from supermarket_env.tasks.suites import world_of
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import Mechanisms, UserConfig

GAPS = (("oracle", "silent"), ("rule", "silent"), ("rule", "retrieval"), ("oracle", "rule"))
AGENTS = ("silent", "retrieval", "rule", "oracle")
STORE = "neighbourhood"
PICTURE = DOCS / "img" / "dials.png"


class Dial(NamedTuple):
    """A dial with its settings, easy first where that can be said, and what it claims to move."""

    name: str
    key: str
    settings: tuple[float, ...]
    gap: tuple[str, str]
    """The gap that is stated to move."""
    sign: int
    """+1: it grows with the setting, -1: it shrinks."""
    draw: str = "difficulty"
    """Name of the seeds of its tasks: others than those the claim was chosen on."""


DIALS = (
    Dial("number of needs", "n_needs", (1, 3, 5, 8), ("rule", "silent"), -1),
    Dial("ambiguity", "ambiguity", (0.0, 0.33, 0.67, 1.0), ("oracle", "rule"), +1),
    Dial("scarcity", "sold_out", (0.0, 0.1, 0.2, 0.35), ("oracle", "silent"), +1),
    Dial("familiarity", "familiarity", (-0.4, -0.1, 0.2, 0.5), ("oracle", "silent"), -1),
    Dial("disclosure", "disclosure", (-0.8, -0.3, 0.2, 0.8), ("rule", "retrieval"), -1, "difficulty-disclosure"),
    Dial("map error", "map_error", (0.0, 0.2, 0.5, 1.0), ("oracle", "silent"), +1),
)
MECHANISMS = ("sold_out", "map_error")
"""Dials that are constants of the user, not of the task."""


def played_gaps(dial: Dial, setting: float, n: int) -> dict[tuple[str, str], list[float]]:
    """Return the four gaps by task at one setting."""
    user = UserConfig()
    dials = Dials()
    if dial.key in MECHANISMS:
        user = UserConfig(mechanisms=Mechanisms(**{dial.key: setting}))
    else:
        turned: dict[str, Any] = {dial.key: int(setting) if dial.key == "n_needs" else setting}
        dials = Dials(**turned)
    tasks = drawn_tasks(dial.draw, n, dials)
    ns = {agent: satisfaction(rows(agent, tasks, user=user)) for agent in AGENTS}
    return {(a, b): [x - y for x, y in zip(ns[a], ns[b], strict=True)] for a, b in GAPS}


def kept_gaps(dial: Dial, setting: float, n: int, work: Path | None) -> dict[tuple[str, str], list[float]]:
    """Return the four gaps by task at one setting, from the folder of finished settings where it has them."""
    if work is None:
        return played_gaps(dial, setting, n)
    file = work / f"{dial.draw}_{dial.key}_{setting:g}_{n}_{source_hash()[:12]}.json"
    if not file.exists():
        found = played_gaps(dial, setting, n)
        work.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([found[gap] for gap in GAPS]), encoding="utf-8")
    return dict(zip(GAPS, json.loads(file.read_text(encoding="utf-8")), strict=True))


def drawn_tasks(draw: str, n: int, dials: Dials) -> list[Task]:
    """Return the first n tasks of a name of seeds."""
    world = world_of("embedded", STORE)
    return [sample_task(world, seed=seed_of(draw, k), id=f"dials-{k:04d}", dials=dials) for k in range(n)]


class Verdict(NamedTuple):
    """A dial's gaps at all settings and whether its claim holds."""

    dial: Dial
    gaps: list[dict[tuple[str, str], list[float]]]
    monotone: bool
    change: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether the stated gap moves as stated."""
        return self.monotone and (self.low > 0.0 if self.dial.sign > 0 else self.high < 0.0)


def judge(dial: Dial, n: int, work: Path | None = None) -> Verdict:
    """Play a dial."""
    gaps = [kept_gaps(dial, setting, n, work) for setting in dial.settings]
    means = [mean(found[dial.gap]) for found in gaps]
    monotone = all((b - a) * dial.sign > 0.0 for a, b in pairwise(means))
    change = paired_difference(gaps[-1][dial.gap], gaps[0][dial.gap])
    return Verdict(dial, gaps, monotone, change.mean or 0.0, change.low or 0.0, change.high or 0.0)


def mean(values: Sequence[float]) -> float:
    """Return the mean of at least one value."""
    return sum(values) / len(values)


def lines(verdicts: Sequence[Verdict]) -> str:
    """Return the table: a line a setting, the stated gap in bold."""
    out = []
    for v in verdicts:
        for k, (setting, found) in enumerate(zip(v.dial.settings, v.gaps, strict=True)):
            cells = []
            for gap in GAPS:
                low, high = bootstrap_ci(found[gap]) or (float("nan"), float("nan"))
                text = f"{number(mean(found[gap]), signed=True)} [{low:+.2f}, {high:+.2f}]"
                cells.append(f"**{text}**" if gap == v.dial.gap else text)
            out.append([v.dial.name if k == 0 else "", f"{setting:g}", *cells])
    return table(["dial", "setting", *(f"{a} - {b}" for a, b in GAPS)], out)


def claims(verdicts: Sequence[Verdict]) -> str:
    """Return the table of claims: gap, sign, change from the first setting to the last, verdict."""
    out = []
    for v in verdicts:
        key = f"`user.mechanisms.{v.dial.key}`" if v.dial.key in MECHANISMS else f"`suite.dials.{v.dial.key}`"
        change = f"{v.change:+.3f} [{v.low:+.3f}, {v.high:+.3f}]"
        steps = "every step" if v.monotone else "not at every step"
        sign = "grows" if v.dial.sign > 0 else "shrinks"
        verdict = f"{'holds' if v.holds else 'FAILS'}, {steps}"
        out.append([v.dial.name, key, f"{v.dial.gap[0]} - {v.dial.gap[1]} {sign}", change, verdict])
    return table(["dial", "key", "states that", "change, first to last setting", "verdict"], out)


def draw(verdicts: Sequence[Verdict], out: Path) -> None:
    """Draw the four gaps over the settings of each dial, the stated one in bold."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.5, 6.4), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    styles: tuple[tuple[Any, str], ...] = (("-", "o"), ((0, (5, 2)), "s"), ((0, (1, 1)), "^"), ((0, (3, 1, 1, 1)), "D"))
    panels = figure.subplots(2, 3, sharey=True).ravel()
    for axes, v in zip(panels, verdicts, strict=False):
        for gap, (dashes, marker) in zip(GAPS, styles, strict=True):
            stated = gap == v.dial.gap
            values = [found[gap] for found in v.gaps]
            bounds = [bootstrap_ci(x, resamples=2000) or (float("nan"), float("nan")) for x in values]
            middle = [mean(x) for x in values]
            errors = [[m - b[0] for m, b in zip(middle, bounds, strict=True)],
                      [b[1] - m for m, b in zip(middle, bounds, strict=True)]]  # fmt: skip
            axes.errorbar(
                v.dial.settings, middle, yerr=errors, ls=dashes, marker=marker, ms=5, capsize=2,
                color="black" if stated else "0.55", lw=2.0 if stated else 1.0, label=f"{gap[0]} - {gap[1]}",
            )  # fmt: skip
        axes.set_title(f"{v.dial.name}: {v.dial.gap[0]} - {v.dial.gap[1]} {'grows' if v.dial.sign > 0 else 'shrinks'}",
                       fontsize=10)  # fmt: skip
        axes.set_xlabel(v.dial.key, fontsize=9)
    for axes in panels[::3]:
        axes.set_ylabel("gap in NS, 95 % interval")
    from matplotlib.lines import Line2D

    keys = [Line2D([], [], color="0.3", ls=dashes, marker=marker, ms=5) for dashes, marker in styles]
    figure.legend(
        keys, [f"{a} - {b}" for a, b in GAPS], loc="outside lower center", ncols=4, frameon=False, handlelength=4
    )
    figure.savefig(out, metadata={"Software": None})


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--tasks", type=int, default=600, help="tasks a setting")
    parser.add_argument("--only", default="", help="keys of dials, separated by commas")
    parser.add_argument("--work", type=Path, default=None, help="folder of finished settings")
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args()
    chosen = [d for d in DIALS if not options.only or d.key in options.only.split(",")]
    verdicts = [judge(dial, options.tasks, options.work) for dial in chosen]
    print(claims(verdicts), lines(verdicts), sep="\n\n")
    if not options.dry and len(chosen) == len(DIALS):
        note = f"{options.tasks} fresh tasks a setting, store {STORE}:"
        write_table("dial-claims", f"{note}\n\n{claims(verdicts)}", DOCS / "dials.md")
        write_table("dial-gaps", lines(verdicts), DOCS / "dials.md")
        draw(verdicts, PICTURE)
    return 0 if all(v.holds for v in verdicts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
