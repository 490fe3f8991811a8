"""``supermarket plan``: how many tasks a comparison needs."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from supermarket_env.errors import ConfigError

ASSUMED_SD = 0.4
"""Standard deviation over tasks of a difference in need satisfaction, where no run is given: on the careful side."""

ASSUMED_DISCORDANCE = 0.2
"""Share of the tasks that one assistant completes and the other does not, where no run is given."""


def plan(
    sides: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN[:AGENT] RUN[:AGENT]]", help="A pilot to take the spread from.")
    ] = None,
    delta: Annotated[float, typer.Option("--delta", help="Difference to find, in points of 100.")] = 5.0,
    power: Annotated[float, typer.Option("--power", help="Chance to find it, between 0 and 1.")] = 0.8,
    alpha: Annotated[float, typer.Option("--alpha", help="Level of the test, between 0 and 1.")] = 0.05,
    comparisons: Annotated[int, typer.Option("--comparisons", help="Tests in the family (Holm's first step).")] = 1,
) -> None:
    """Print the tasks needed to find a difference, and what the shipped suites can show."""
    from supermarket_env.compare.pages import markdown_rows
    from supermarket_env.stats.power import arms_needed, detectable_difference, pairs_needed, tasks_needed

    if not 0 < delta <= 100:
        raise ConfigError(f"--delta expects points above 0 and up to 100, got {delta:g}")
    if not 0 < power < 1 or not 0 < alpha < 1:
        raise ConfigError(f"--power and --alpha expect numbers between 0 and 1, got {power:g} and {alpha:g}")
    if comparisons < 1:
        raise ConfigError(f"--comparisons expects 1 or more, got {comparisons}")
    level = alpha / comparisons
    between, within, discordance, origin = _spread(list(sides or ()))
    print(f"Spread: {origin}.")
    print(f"Two-sided test at {level:g}, power {power:g}, difference {delta:g} points.\n")
    rows = []
    for trials in (1, 2, 4, 8) if within else (1,):
        sd = math.sqrt(between + within / trials)
        n = tasks_needed(sd, delta / 100, alpha=level, power=power)
        rows.append([str(trials), f"{n}", f"{n * trials}"])
    print("NS_uplift, sign flip over tasks:\n")
    print(markdown_rows(("trials a task", "tasks", "episodes per assistant"), rows))
    if discordance >= delta / 100:
        n = pairs_needed(discordance, delta / 100, alpha=level, power=power)
        print(f"SR_complete, McNemar, {100 * discordance:.0f} % of the tasks discordant: {n} tasks.")
    low = min(0.5, 1 - delta / 100)
    unpaired = arms_needed(low, low + delta / 100, alpha=level, power=power)
    print(f"The same from {100 * low:.0f} % without pairing would take {unpaired} episodes for each assistant.\n")
    rows = []
    for n in (30, 100, 200, 500, 1000):
        smallest = detectable_difference(math.sqrt(between + within), n, alpha=level, power=power)
        rows.append([str(n), "n/a" if smallest is None else f"{100 * smallest:.1f}"])
    print("With n tasks, one trial each, you can detect (points of NS_uplift):\n")
    print(markdown_rows(("tasks", "detectable"), rows), end="")


def _spread(words: list[str]) -> tuple[float, float, float, str]:
    """Return variance between and within tasks, discordance, and where they come from."""
    if not words:
        text = f"assumed, a standard deviation of {ASSUMED_SD} over tasks (give two sides of a pilot run to measure it)"
        return ASSUMED_SD**2, 0.0, ASSUMED_DISCORDANCE, text
    from supermarket_env.compare.paired import pair_up
    from supermarket_env.compare.sides import check_alike, read_sides
    from supermarket_env.compare.trials import spread_of_trials

    sides = read_sides(words)
    if len(sides) != 2:
        raise ConfigError(f"plan takes no pilot or two sides of one, got {len(sides)}")
    check_alike(sides)
    found = spread_of_trials(sides)
    if found is None:
        raise ConfigError("the pilot needs two tasks or more with a truth")
    between, within, n, trials = found
    if between + within <= 0:
        raise ConfigError("the pilot shows no spread: the two sides did the same on every task")
    pairs = [p for p in pair_up(sides[0].rows, sides[1].rows).pairs if p.first.truth.complete is not None]
    differ = sum(p.first.truth.complete != p.second.truth.complete for p in pairs) / max(1, len(pairs))
    text = (
        f"measured, {sides[1].label} against {sides[0].label} on {n} tasks x {trials} trials: "
        f"sd between tasks {math.sqrt(between):.3f}"
        + (f", within {math.sqrt(within):.3f}" if within else " (luck included)")
    )
    return between, within, differ, text
