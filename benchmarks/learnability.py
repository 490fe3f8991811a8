"""Is there something to learn, and does it need both what is said and where the user is?

    python benchmarks/learnability.py              # trains, evaluates, rewrites docs/learnability.md and its figure
    python benchmarks/learnability.py --generations 4 --tasks 20 --dry

The cross-entropy method searches (a) the thresholds of the rule assistant, from an assistant that tosses a coin for
each of its habits, and (b) the weights of a linear policy on the relational observation, from one that says nothing.
Training plays fresh tasks of the training stream; evaluation plays tasks of the dev suite, which training never sees.
The linear policy is trained again from nothing without the dialogue, without position and map, and without the observed
position alone: each should lose at least a third of the gain over `silent`. Exit code 1 when one does not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from linear_policy import N_WEIGHTS, Floats, LinearPolicy
from user_page import table, write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule import Rule
from supermarket_env.envs.game import Game
from supermarket_env.run.seeding import episode_seed
from supermarket_env.stats import bootstrap_ci, paired_difference
from supermarket_env.tasks.suites import load_suite
from supermarket_env.tasks.task import Task
from supermarket_env.train.play import WATCHED, TaskStream, play, satisfaction
from supermarket_env.train.search import N_THRESHOLDS, Score, search, thresholds
from supermarket_env.world import load_world

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "learnability.md"
FIGURE = ROOT / "docs" / "img" / "learnability.png"
STORE: Final = "neighbourhood"
HIDDEN: Final = {
    "dialogue": "hiding the dialogue",
    "position": "hiding position and map, so that no place can be named,",
    "standpoint": "hiding the observed position alone, while places can still be named,",
}
REQUIRED_LOSS: Final = 1.0 / 3.0
"""Share of the gain over `silent` that a blinding must cost to count as needed."""


class Trained(NamedTuple):
    """A finished search."""

    mean: Floats
    curve: list[float]
    """Need satisfaction of the search's centre on the watched tasks, before the first generation and after each."""
    seconds: float
    episodes: int


def play_policy(game: Game, policy: LinearPolicy, task: Task) -> float:
    """Return the need satisfaction of one trip with a linear policy."""
    game.reset(task, seed=episode_seed(0, task.id, 0))
    policy.start(game)
    while not game.done:
        policy.step()
    return satisfaction(game)


def learn(score: Score, size: int, stream: TaskStream, options: argparse.Namespace) -> Trained:
    """Search ``size`` weights, starting from zeros, with ``options`` (generations, population, batch and seed)."""
    begin = time.process_time()
    history = search(
        score,
        np.zeros(size),
        stream,
        generations=options.generations,
        population=options.population,
        batch=options.batch,
        seed=options.seed,
    )
    seconds = time.process_time() - begin
    return Trained(history[-1].mean, [g.score for g in history], seconds, history[-1].episodes)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of at least one value."""
    return float(np.mean(values))


class Result(NamedTuple):
    """One line of the table."""

    name: str
    note: str
    ns: list[float]
    """Need satisfaction by dev task."""
    trained: Trained | None = None


VARIANTS: Final = (
    ("none", "linear policy", "everything"),
    ("dialogue", "linear policy, dialogue hidden", "where the user is; nothing that was said"),
    ("answers", "linear policy, answers hidden", "position, and which needs were named; nothing said about them"),
    ("position", "linear policy, position hidden", "what was said; neither the user's place nor the map"),
    ("standpoint", "linear policy, user's place hidden", "what was said; it may still name what is shown on the map"),
)


def train_and_play(game: Game, tasks: Sequence[Task], options: argparse.Namespace) -> dict[str, Result]:
    """Train everything and play it, `silent` and `rule` on ``tasks``; keys are names of blindings and assistants."""
    stream = TaskStream(STORE)
    found: dict[str, Result] = {}

    def assistant(key: str, name: str, note: str, made: Any, trained: Trained | None = None) -> None:
        found[key] = Result(name, note, [play(game, made, task) for task in tasks], trained)

    def policy_score(blind: str) -> Score:
        return lambda x, ts: mean_of([play_policy(game, LinearPolicy(x, blind), task) for task in ts])

    def rule_score(x: Floats, ts: Sequence[Task]) -> float:
        made = Rule(thresholds(x))
        return mean_of([play(game, made, task) for task in ts])

    assistant("silent", "`silent`", "nothing", make_agent("silent"))
    assistant("rule", "`rule`, thresholds set by hand", "everything", make_agent("rule"))
    learned = learn(rule_score, N_THRESHOLDS, stream, options)
    report("rule thresholds", learned)
    assistant("thresholds", "`rule`, thresholds learned", "everything", Rule(thresholds(learned.mean)), learned)
    for blind, name, note in VARIANTS:
        trained = learn(policy_score(blind), N_WEIGHTS, stream, options)
        report(name, trained)
        policy = LinearPolicy(trained.mean, blind)
        found[blind] = Result(name, note, [play_policy(game, policy, task) for task in tasks], trained)
    return found


def report(name: str, trained: Trained) -> None:
    """Print how a search went."""
    print(f"{name}: {trained.curve[0]:.3f} -> {trained.curve[-1]:.3f} in {trained.seconds:.0f} s CPU", flush=True)


def lost(found: dict[str, Result], blind: str) -> float | None:
    """Return the share of the seeing policy's gain over `silent` that a blinding costs; None without a gain."""
    floor = mean_of(found["silent"].ns)
    gain = mean_of(found["none"].ns) - floor
    return 1.0 - (mean_of(found[blind].ns) - floor) / gain if gain > 0.0 else None


def result_table(found: dict[str, Result]) -> str:
    """Return the table of the page."""
    rows = []
    for key, result in found.items():
        low, high = bootstrap_ci(result.ns) or (float("nan"), float("nan"))
        gain = paired_difference(result.ns, found["silent"].ns)
        cost = lost(found, key) if key in ("dialogue", "answers", "position", "standpoint") else None
        rows.append(
            [
                result.name,
                result.note,
                f"{mean_of(result.ns):.3f} [{low:.2f}, {high:.2f}]",
                "reference" if key == "silent" else f"{gain.mean:+.3f} [{gain.low:+.2f}, {gain.high:+.2f}]",
                "" if cost is None else f"{100 * cost:.0f} %",
                "" if result.trained is None else f"{result.trained.episodes:,}",
            ]
        )
    return table(("assistant", "sees", "NS", "gain over `silent`", "share of the gain lost", "trips of training"), rows)


def verdicts(found: dict[str, Result]) -> list[tuple[str, bool]]:
    """Return the conditions, each with whether it holds."""
    gain = paired_difference(found["none"].ns, found["silent"].ns)
    out = [("the learned policy is better than silent, interval above 0", gain.low is not None and gain.low > 0.0)]
    better = paired_difference(found["thresholds"].ns, found["silent"].ns)
    out.append(("learned thresholds are better than silent", better.low is not None and better.low > 0.0))
    for blind, name in HIDDEN.items():
        cost = lost(found, blind)
        out.append((f"{name} costs at least a third of the gain", (cost or 0.0) >= REQUIRED_LOSS))
    return out


STYLES: Final = {
    "thresholds": ("#777777", "--", "s"),
    "none": ("#000000", "-", "o"),
    "dialogue": ("#000000", ":", "v"),
    "answers": ("#777777", "-.", "P"),
    "position": ("#000000", "--", "^"),
    "standpoint": ("#999999", "-", "x"),
}


def draw_figure(found: dict[str, Result], out: Path) -> None:
    """Draw the learning curves and the held-out results; told apart by marks and lines, so grey print will do."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 5.0), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1.25, 1.0))
    for key, (colour, line, mark) in STYLES.items():
        trained = found[key].trained
        if trained is not None:
            name = found[key].name.replace("`", "")
            left.plot(trained.curve, color=colour, linestyle=line, marker=mark, markersize=4, label=name)
    left.set_xlabel("generation of the search")
    left.set_ylabel("need satisfaction (0..1)")
    left.set_title(f"while learning: {WATCHED} fixed training tasks", fontsize=10.5)
    left.legend(frameon=False, fontsize=8, loc="lower right")
    tasks = len(found["silent"].ns)
    for k, (key, result) in enumerate(found.items()):
        value = mean_of(result.ns)
        low, high = bootstrap_ci(result.ns) or (value, value)
        colour, _, mark = STYLES.get(key, ("#000000", "-", "D"))
        right.errorbar([k], [value], [[value - low], [high - value]], color=colour, marker=mark, capsize=3)
    names = [
        result.name.replace("`", "").replace("linear policy, ", "policy,\n").replace(", ", ",\n", 1)
        for result in found.values()
    ]
    right.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=8)
    right.axhline(mean_of(found["silent"].ns), color="#bbbbbb", linewidth=0.8, zorder=0)
    right.set_title(f"afterwards: {tasks} dev tasks, never trained on, 95 % intervals", fontsize=10.5)
    left.set_ylim(0.0, 1.0)
    for axes in (left, right):
        axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out)


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--generations", type=int, default=16)
    parser.add_argument("--population", type=int, default=24, help="candidates a generation")
    parser.add_argument("--batch", type=int, default=16, help="tasks a generation")
    parser.add_argument("--tasks", type=int, default=200, help="dev tasks of the evaluation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dry", action="store_true", help="do not write page and figure")
    options = parser.parse_args()
    game = Game(load_world("embedded", STORE), texts=False, mode="plain")
    tasks = load_suite("dev").tasks[: options.tasks]
    found = train_and_play(game, tasks, options)
    text = result_table(found)
    print(text)
    judged = verdicts(found)
    for sentence, holds in judged:
        print(f"  {'holds' if holds else 'FAILS'}  {sentence}")
    if not options.dry:
        lines = "\n".join(f"- {'holds' if holds else 'does not hold'}: {sentence}" for sentence, holds in judged)
        write_table("learnability", f"{text}\n\n{lines}", PAGE)
        draw_figure(found, FIGURE)
    return 0 if all(holds for _, holds in judged) else 1


if __name__ == "__main__":
    raise SystemExit(main())
