"""The kinds of pictures in one table: what each needs and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from supermarket_env.errors import ConfigError, unknown_name

if TYPE_CHECKING:
    from supermarket_env.report.results import Results


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be drawn."""

    runs: tuple[str, ...]
    """``RUN`` or ``RUN:AGENT`` words, sweep folders or trainings, as the kind wants them."""
    out: Path
    x: str = ""
    y: str = ""
    value: str = ""
    episodes: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The runs as paths."""
        return tuple(Path(word) for word in self.runs)

    def results(self) -> list[Results]:
        """Read the runs; a sweep folder stands for its finished runs, ordered by what varies in them.

        Raises:
            RunFolderError: If a folder is neither.
        """
        from supermarket_env.report.collect import runs_of
        from supermarket_env.report.results import read_results

        return [read_results(path) for path in runs_of(self.paths)]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of picture."""

    draw: Callable[[Order], list[Path]]
    help: str


def _success(order: Order) -> list[Path]:
    from supermarket_env.report.plot_curves import SUCCESS_CURVE, save_success

    value = order.value or "SR_complete(t)"
    paths = {"SR(t)": ("SR(t)",), "SR_complete(t)": SUCCESS_CURVE}
    if value not in paths:
        raise ConfigError(unknown_name("curve", value, paths))
    return save_success(order.results(), order.out, path=paths[value])


def _ladder(order: Order) -> list[Path]:
    """The picture every run has, from one run."""
    if len(order.runs) > 1:
        return _success(order)
    from supermarket_env.report.plots import save_plot, success_rows
    from supermarket_env.report.results import read_results

    results = read_results(order.paths[0])
    privileged = results.privileged
    for file in (order.out, order.out.with_suffix(".svg" if order.out.suffix == ".png" else ".png")):
        save_plot("sr_vs_turn", results.metrics, file, title=results.title, agents=results.agents,
                  privileged=privileged)  # fmt: skip
    from supermarket_env.compare.pages import rows_csv

    table = order.out.with_suffix(".csv")
    table.write_text(rows_csv(success_rows(results.metrics, results.agents)), encoding="utf-8")
    return [order.out, order.out.with_suffix(".svg" if order.out.suffix == ".png" else ".png"), table]


def _goals(order: Order) -> list[Path]:
    from supermarket_env.report.plot_curves import save_goals

    return save_goals(order.results(), order.out)


def _forest(order: Order) -> list[Path]:
    from supermarket_env.compare.paired import compare_sides
    from supermarket_env.compare.sides import check_alike, read_sides, whole_run
    from supermarket_env.report.plot_forest import save_forest

    words = whole_run(order.runs[0]) if len(order.runs) == 1 and ":" not in order.runs[0] else list(order.runs)
    sides = read_sides(words)
    warnings = check_alike(sides)
    return save_forest(compare_sides(sides), order.out, warnings=warnings)


def _radar(order: Order) -> list[Path]:
    from supermarket_env.report.plot_points import save_radar
    from supermarket_env.report.results import read_results

    if len(order.runs) != 1:
        raise ConfigError(f"radar draws one run, got {len(order.runs)}")
    return save_radar(read_results(order.paths[0]), order.out)


def _pareto(order: Order) -> list[Path]:
    from supermarket_env.report.plot_points import save_pareto

    return save_pareto(order.results(), order.out, effort=order.x or "turns")


def _heat_map(order: Order) -> list[Path]:
    from supermarket_env.report.collect import collect_runs
    from supermarket_env.report.plot_heatmap import save_heat_map

    rows = collect_runs(order.paths).rows
    return save_heat_map(rows, order.out, x=order.x, y=order.y, value=order.value or "NS_uplift")


def _floor(order: Order) -> list[Path]:
    from supermarket_env.report.plot_floor import save_floor

    if len(order.runs) != 1:
        raise ConfigError(f"floor draws episodes of one run, got {len(order.runs)}")
    return save_floor(order.paths[0], order.episodes, order.out)


def _trials(order: Order) -> list[Path]:
    from supermarket_env.compare.sides import Side, read_run
    from supermarket_env.compare.trials import trial_points
    from supermarket_env.report.collect import runs_of
    from supermarket_env.report.plot_curves import save_trials

    success = order.value or "SR_complete"
    runs = [read_run(path) for path in runs_of(order.paths)]
    points = [point for run in runs for name in run.agents for point in trial_points(Side(run, name), success)]
    if not points:
        raise ConfigError(f"no episode says whether it is a success by {success}")
    return save_trials(points, success, order.out)


def _learning(order: Order) -> list[Path]:
    from supermarket_env.report.plot_learning import save_learning

    return save_learning(order.paths, order.out)


KINDS: Final[Mapping[str, Kind]] = {
    "sr_vs_turn": Kind(_ladder, "success by turn of one run: SR(t) and SR_complete(t)"),
    "success": Kind(
        _success, "success by turn, a panel a run of a sweep (seeds, users); --value SR(t) or SR_complete(t)"
    ),
    "cgv": Kind(_goals, "goals that came into view within h turns"),
    "forest": Kind(_forest, "paired differences with intervals; RUN, or RUN:AGENT..."),
    "radar": Kind(_radar, "the main figures of each assistant"),
    "pareto": Kind(_pareto, "need satisfaction against effort; --x turns, cost or talk"),
    "heatmap": Kind(_heat_map, "one figure over two keys of a sweep; --x KEY --y KEY --value FIGURE"),
    "floor": Kind(_floor, "walked paths and hints on the floor plan; --episode ID, up to six"),
    "pass_k": Kind(_trials, "pass^k and pass@k by k; --value SR_complete or SR"),
    "learning": Kind(_learning, "learning curves of training folders"),
}
"""Every kind, in the order of the help page."""


def draw(kind: str, order: Order) -> list[Path]:
    """Draw a picture; return the files written.

    Raises:
        SupermarketError: Of the fitting kind, for anything wrong in the order.
    """
    if kind not in KINDS:
        raise ConfigError(unknown_name("kind of plot", kind, KINDS))
    return KINDS[kind].draw(order)


def kinds_help() -> str:
    """Return one paragraph a kind, as help pages show them."""
    return "\n\n".join(f"{name}: {kind.help}" for name, kind in KINDS.items())
