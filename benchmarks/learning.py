"""Does a learned policy beat the rule assistant, where does it still hold, and what does it need?

    python benchmarks/learning.py              # trains, evaluates; rewrites tables and figures of docs/training.md
    python benchmarks/learning.py --quick      # one small seed, few tasks, nothing written to the page

Work is kept in ``--out``: what is trained or played already is not done again, so an interrupted run goes on. The
opponent is ``rule_tuned``: the rule assistant's thresholds searched with as many environment steps as the policy gets.
The headline is the share of the gap from ``rule_tuned`` to ``oracle`` that the policy closes, over training seeds and
tasks. Exit code 1 when the policy is not better than ``rule_tuned`` on new tasks, or buys more that breaks a hard
constraint or spends more.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from informed import Informed
from numpy.typing import NDArray
from user_page import table, write_table

from supermarket_env.agents.ppo import Ppo
from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule import Rule
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.events.types import PAID_REASONS
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.run.seeding import episode_seed
from supermarket_env.stats import bootstrap_ci
from supermarket_env.tasks.suites import load_suite, world_of
from supermarket_env.tasks.task import Task
from supermarket_env.train.config import TrainConfig
from supermarket_env.train.rule import FILE, save, tune
from supermarket_env.user_sim.registry import make_user

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "training.md"
CURVES = ROOT / "docs" / "img" / "learning_curves.png"
GRID_FIGURE = ROOT / "docs" / "img" / "learning_grid.png"

GRID: Final = {
    "new tasks": ("test", None, "standard", "scripted"),
    "new layouts": ("test", None, "unseen_layout", "scripted"),
    "larger store": ("test", "hyper", "standard", "scripted"),
    "unseen categories": ("test", None, "unseen_categories", "scripted"),
    "unseen personas": ("test", None, "unseen_personas", "scripted"),
    "noisy users": ("test", None, "standard", "noisy"),
}
"""Name of a cell: suite, store (None: the suite's own), stratum, user model."""
HOME: Final = "new tasks"
REFERENCES: Final = ("silent", "rule", "rule_tuned", "informed", "oracle")
"""`informed` is told the needs but not the taste for single products: what could be known (``informed.py``)."""
VARIANTS: Final[dict[str, dict[str, Any]]] = {
    "clone": {"ppo": None},
    "dialogue": {"blind": "dialogue"},
    "position": {"blind": "position"},
    "standpoint": {"blind": "standpoint"},
    "success": {"reward": "success", "start": "nothing"},
}
"""Exhibits beside the main policy, one seed each; ``clone`` stops after cloning."""
RESAMPLES: Final = 2000
AIM: Final = 0.3

Played = dict[str, list[Any]]
"""Figures of one assistant in one cell, by task."""


def training(options: argparse.Namespace, seed: int, variant: str | None = None) -> TrainConfig:
    """Return the configuration of a training run."""
    out = options.out / (f"seed{seed}" if variant is None else f"{variant}{seed}")
    data: dict[str, Any] = {
        "out": str(out),
        "seed": seed,
        "steps": options.steps,
        "tasks": options.pool,
        "clone": {"episodes": options.demonstrations},
        "thresholds": json.loads((options.out / FILE).read_text(encoding="utf-8"))["config"],
        "checkpoint_every": max(1, options.steps // 5),
        "mode": options.mode,
    }
    if variant == "clone":
        data["steps"] = 0
    elif variant is not None:
        data.update(VARIANTS[variant])
    return TrainConfig.parse(data)


def cell_tasks(cell: str, n: int) -> list[Task]:
    """Return the first ``n`` tasks of a cell of the grid."""
    suite, store, stratum, _ = GRID[cell]
    tasks = load_suite(suite, store=store, n=n if store else None).tasks
    return [task for task in tasks if task.stratum.startswith(f"{stratum}:")][:n]


class Evaluator:
    """Plays assistants on cells of the grid and keeps what came out."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._games: dict[tuple[str, str], Game] = {}

    def play(self, name: str, assistant: Any, cell: str) -> Played:
        """Return the figures of one assistant in one cell, from the file when they are there."""
        file = self.options.out / "played" / f"{name}--{cell.replace(' ', '_')}--{self.options.tasks}.json"
        if file.is_file():
            return json.loads(file.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
        user = GRID[cell][3]
        trips = [self._trip(name, assistant, task, user) for task in cell_tasks(cell, self.options.tasks)]
        lines = [line for line, _ in trips]
        rows = rows_of(lines)
        found: Played = {
            "ns": [row.truth.need_satisfaction or 0.0 for row in rows],
            "violations": [row.truth.hard_violations or 0 for row in rows],
            "complete": [bool(row.truth.complete) for row in rows],
            "paid": [line["events"][-1]["reason"] in PAID_REASONS for line in lines],
            "turns": [line["events"][-1]["turn"] for line in lines],
            "spent": [spent for _, spent in trips],
            "pushes": [_share(line, "offer_checkout") for line in lines],
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found), encoding="utf-8")
        return found

    def _trip(self, name: str, assistant: Any, task: Task, user: str) -> tuple[dict[str, Any], float]:
        """Return the log line of a trip, and the money paid."""
        game = self._game(task.store, user)
        labels = EpisodeLabels(agent=name, task_id=task.id, stratum=task.stratum, episode_id=f"{name}|{task.id}")
        view = game.reset(task, seed=episode_seed(0, task.id, 0), labels=labels)
        if hasattr(assistant, "start_privileged"):
            assistant.start_privileged(view, game.truth())
        else:
            assistant.start(view)
        while not game.done:
            view = game.step(assistant.reply(view))
        paid = game.reason in PAID_REASONS
        return game.episode(), game.kernel.s.spent / 100.0 if paid else 0.0

    def _game(self, store: str, user: str) -> Game:
        if (store, user) not in self._games:
            model = make_user(user)
            mode = "plain" if model is not None else self.options.mode
            world = world_of("embedded", store)
            self._games[store, user] = Game(world, texts=False, mode=mode, user_model=model)
        return self._games[store, user]


def _share(line: dict[str, Any], act: str) -> float:
    """Return the share of the assistant's messages with an act."""
    acts = Counter(event["act"] for event in line["events"] if event["k"] == "assistant")
    return acts[act] / max(1, sum(acts.values()))


def gap_share(
    policy: Sequence[Sequence[float]], tuned: Sequence[float], oracle: Sequence[float]
) -> tuple[float, float, float]:
    """Return the share of the gap closed with a 95 % interval, resampling training seeds and tasks together.

    Args:
        policy: Need satisfaction by training seed and task.
        tuned: By task, of ``rule_tuned``.
        oracle: By task. Without a gap all three are NaN.
    """
    p, t, o = np.array(policy), np.array(tuned), np.array(oracle)
    if np.mean(o) <= np.mean(t):
        return float("nan"), float("nan"), float("nan")
    rng = np.random.Generator(np.random.Philox(0))

    def share(seeds: NDArray[np.int64], tasks: NDArray[np.int64]) -> float:
        gap = float(np.mean(o[tasks] - t[tasks]))
        return float(np.mean(p[np.ix_(seeds, tasks)]) - np.mean(t[tasks])) / gap if gap > 0 else float("nan")

    drawn = [share(rng.integers(len(p), size=len(p)), rng.integers(len(t), size=len(t))) for _ in range(RESAMPLES)]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return share(np.arange(len(p)), np.arange(len(t))), float(low), float(high)


def train_all(options: argparse.Namespace) -> None:
    """Search the opponent's thresholds and train what is missing."""
    if not (options.out / FILE).is_file():
        begin = time.process_time()
        save(tune(TrainConfig(steps=max(options.steps, options.search_steps), mode=options.mode)), options.out)
        print(f"rule_tuned: {time.process_time() - begin:.0f} s CPU", flush=True)
    from supermarket_env.train.ppo import train

    for seed in range(options.first_seed, options.seeds):
        run_one(train, training(options, seed), f"seed {seed}")
    for variant in () if options.no_variants else VARIANTS:
        run_one(train, training(options, 0, variant), variant)


def run_one(train: Any, config: TrainConfig, name: str) -> None:
    """Train one policy unless it is there."""
    points = curve(Path(str(config.out)))
    if not points or points[-1]["steps"] < config.steps:
        train(config)
        points = curve(Path(str(config.out)))
    last = points[-1]
    print(
        f"{name}: NS {last['satisfaction']:.3f} after {last['steps']:,} steps, {last['cpu_seconds']:.0f} s CPU",
        flush=True,
    )


def curve(folder: Path) -> list[dict[str, Any]]:
    """Return the points of a training run, none when there is none."""
    file = folder / "progress.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []


def evaluate(options: argparse.Namespace) -> dict[str, dict[str, Played]]:
    """Return the figures of every assistant by cell."""
    evaluator = Evaluator(options)
    tuned = json.loads((options.out / FILE).read_text(encoding="utf-8"))["config"]
    found: dict[str, dict[str, Played]] = {}
    for cell in GRID:
        here = found[cell] = {}
        for name in REFERENCES:
            here[name] = evaluator.play(name, reference(name, tuned), cell)
        for seed in range(options.seeds):
            here[f"ppo{seed}"] = evaluator.play(f"ppo{seed}", policy(options, seed), cell)
        if cell == HOME and not options.no_variants:
            for variant in VARIANTS:
                here[variant] = evaluator.play(variant, policy(options, 0, variant), cell)
        print(f"{cell}: played", flush=True)
    return found


def reference(name: str, tuned: dict[str, Any]) -> Any:
    """Return a reference assistant; ``tuned`` are the thresholds that were found."""
    if name == "rule_tuned":
        return Rule(tuned, name=name)
    return Informed(tuned, name=name) if name == "informed" else make_agent(name)


def policy(options: argparse.Namespace, seed: int, variant: str | None = None) -> Ppo:
    """Return a trained policy as an assistant."""
    return Ppo(str(training(options, seed, variant).out), words=False)


def seeds_of(here: dict[str, Played], key: str) -> list[list[float]]:
    """Return a figure of the policies by training seed and task."""
    return [played[key] for name, played in here.items() if name.startswith("ppo")]


def grid_table(found: dict[str, dict[str, Played]]) -> str:
    """Return the generalisation grid."""
    rows = []
    for cell, here in found.items():
        share, low, high = gap_share(seeds_of(here, "ns"), here["rule_tuned"]["ns"], here["oracle"]["ns"])
        by_seed = [float(np.mean(ns)) for ns in seeds_of(here, "ns")]
        rows.append(
            [
                cell,
                str(len(here["rule"]["ns"])),
                *(f"{np.mean(here[name]['ns']):.3f}" for name in REFERENCES),
                f"{np.mean(by_seed):.3f} ({min(by_seed):.3f} to {max(by_seed):.3f})",
                f"{100 * share:+.0f} % [{100 * low:+.0f}, {100 * high:+.0f}]",
            ]
        )
    names = [f"`{name}`" + ("\\*" if name in ("informed", "oracle") else "") for name in REFERENCES]
    head = ("cell", "tasks", *names, "policy (seeds)", "share of the gap closed")
    return table(head, rows)


def price_table(found: dict[str, dict[str, Played]]) -> str:
    """Return what the gain costs: violations, money, turns."""
    rows = []
    for cell, here in found.items():
        for name in ("rule_tuned", "ppo"):
            cells = []
            for key in ("violations", "spent", "turns", "complete"):
                values = seeds_of(here, key) if name == "ppo" else [here[name][key]]
                cells.append(f"{np.mean(values):.2f}")
            rows.append([cell, f"`{name}`" if name != "ppo" else "policy", *cells])
    return table(("cell", "assistant", "violations a trip", "spent a trip", "turns", "all needs met"), rows)


LABELS: Final = {
    "clone": "cloned from `rule_tuned`, not trained further",
    "dialogue": "trained blind to the dialogue",
    "position": "trained blind to position, may name no place",
    "standpoint": "trained blind to position, may name places",
    "success": "trained on SR alone, from nothing",
}


def exhibit_table(found: dict[str, dict[str, Played]]) -> str:
    """Return ablations and the exhibit of a reward for success alone."""
    here = found[HOME]
    shown = [("`silent`", here["silent"]), ("`rule_tuned`", here["rule_tuned"]), ("the policy, seed 0", here["ppo0"])]
    shown += [(label, here[name]) for name, label in LABELS.items() if name in here]
    rows = [
        [
            name,
            f"{np.mean(played['ns']):.3f}",
            f"{100 * np.mean(played['paid']):.0f} %",
            f"{100 * np.mean(played['complete']):.0f} %",
            f"{np.mean(played['turns']):.1f}",
            f"{100 * np.mean(played['pushes']):.0f} %",
        ]
        for name, played in shown
    ]
    return table(("assistant", "NS", "SR", "all needs met", "turns", "messages that offer to pay"), rows)


def verdicts(found: dict[str, dict[str, Played]]) -> list[tuple[str, bool]]:
    """Return the conditions, each with whether it holds."""
    here = found[HOME]
    share, low, _ = gap_share(seeds_of(here, "ns"), here["rule_tuned"]["ns"], here["oracle"]["ns"])
    violations = np.mean(seeds_of(here, "violations")) - np.mean(here["rule_tuned"]["violations"])
    spent = np.mean(seeds_of(here, "spent")) / max(1e-9, float(np.mean(here["rule_tuned"]["spent"])))
    return [
        (
            f"aim: at least {100 * AIM:.0f} % of the gap closed on new tasks (measured {100 * share:.0f} %)",
            share >= AIM,
        ),
        ("better than `rule_tuned` on new tasks, interval above 0", low > 0.0),
        (f"no more violations than `rule_tuned` (difference {violations:+.3f} a trip)", bool(violations <= 0.01)),
        (f"no more spent than `rule_tuned` (ratio {spent:.3f})", bool(spent <= 1.02)),
    ]


def draw_curves(options: argparse.Namespace, found: dict[str, dict[str, Played]], out: Path) -> None:
    """Draw the learning curves; told apart by marks and lines."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 4.6), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for seed in range(options.seeds):
        points = curve(options.out / f"seed{seed}")
        axes.plot(
            [p["steps"] for p in points],
            [p["satisfaction"] for p in points],
            color="#000000",
            linewidth=1.0,
            marker="o",
            markersize=3,
            alpha=0.8,
            label="policy, one line a training seed" if seed == 0 else None,
        )
    styles = {"dialogue": (":", "v"), "position": ("--", "^"), "standpoint": ("-.", "x"), "success": ((0, (1, 3)), "s")}
    for variant, (line, mark) in styles.items():
        points = curve(options.out / f"{variant}0")
        if points:
            axes.plot(
                [p["steps"] for p in points],
                [p["satisfaction"] for p in points],
                color="#777777",
                linestyle=line,
                marker=mark,
                markersize=4,
                label=LABELS[variant].replace("`", ""),
            )
    axes.set_xlabel("environment steps (turns), those cloned from included")
    axes.set_ylabel("need satisfaction on 100 watched training tasks (0..1)")
    axes.set_ylim(0.0, 1.0)
    _finish(figure, axes, out)


def draw_grid(found: dict[str, dict[str, Played]], out: Path) -> None:
    """Draw need satisfaction by cell of the grid."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.6), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    places = np.arange(len(found))
    marks = {
        "silent": ("s", "#bbbbbb"),
        "rule": ("v", "#777777"),
        "rule_tuned": ("^", "#777777"),
        "informed": ("d", "#999999"),
        "oracle": ("*", "#000000"),
    }
    for k, (name, (mark, colour)) in enumerate(marks.items()):
        shown = [here[name]["ns"] for here in found.values()]
        _with_intervals(axes, places + 0.12 * (k - 2), shown, color=colour, marker=mark, label=name)
    policies = [np.mean(seeds_of(here, "ns"), axis=0).tolist() for here in found.values()]
    n_seeds = len(seeds_of(next(iter(found.values())), "ns"))
    label = f"policy, mean of {n_seeds} training seeds"
    _with_intervals(axes, places + 0.36, policies, color="#000000", marker="o", fillstyle="none", label=label)
    n_tasks = sorted({len(here["silent"]["ns"]) for here in found.values()})
    axes.set_xticks(places, list(found))
    axes.set_ylabel("need satisfaction (0..1)")
    axes.set_title(f"n = {' or '.join(map(str, n_tasks))} tasks; bars: 95 % intervals over tasks", fontsize=10)
    axes.set_ylim(0.0, 1.05)
    _finish(figure, axes, out)


def _with_intervals(axes: Any, places: Any, shown: Sequence[Sequence[float]], **style: Any) -> None:
    """Plot means with 95 % bootstrap intervals over tasks."""
    means = np.array([np.mean(ns) for ns in shown])
    bounds = np.array([bootstrap_ci(ns) or (np.mean(ns), np.mean(ns)) for ns in shown])
    bars = np.clip(np.stack([means - bounds[:, 0], bounds[:, 1] - means]), 0.0, None)
    axes.errorbar(places, means, bars, linestyle="none", markersize=7, elinewidth=0.9, capsize=2, **style)


def _finish(figure: Any, axes: Any, out: Path) -> None:
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out)


def cost_line(options: argparse.Namespace) -> str:
    """Return what training took."""
    seconds = [curve(options.out / f"seed{seed}")[-1]["cpu_seconds"] for seed in range(options.seeds)]
    steps = curve(options.out / "seed0")[-1]["steps"]
    took = f"{min(seconds):.0f} to {max(seconds):.0f} s of CPU"
    return f"{options.seeds} training seeds of {steps:,} environment steps, {took} each."


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    made = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    made.add_argument("--seeds", type=int, default=5)
    made.add_argument("--steps", type=int, default=200_000, help="environment steps a seed")
    made.add_argument("--search-steps", type=int, default=250_000, help="environment steps of the threshold search")
    made.add_argument("--pool", type=int, default=1500, help="training tasks")
    made.add_argument("--demonstrations", type=int, default=800, help="trips of rule_tuned to clone")
    made.add_argument("--tasks", type=int, default=100, help="tasks a cell of the grid")
    made.add_argument("--mode", default="auto", choices=("auto", "compiled", "plain"))
    made.add_argument("--out", type=Path, default=Path("runs/learning"))
    made.add_argument("--first-seed", type=int, default=0, help="with --train-only: seeds from here on")
    made.add_argument("--train-only", action="store_true", help="train what is missing, play nothing")
    made.add_argument("--no-variants", action="store_true", help="leave ablations and exhibits out")
    made.add_argument("--quick", action="store_true", help="small: does it run?")
    made.add_argument("--dry", action="store_true", help="do not write page and figures")
    made.add_argument("--ship", action="store_true", help="make rule_tuned and seed 0 the shipped assistants")
    return made


def main() -> int:
    """Run the benchmark; returns the exit code."""
    options = parser().parse_args()
    if options.quick:
        options.seeds, options.steps, options.pool, options.demonstrations, options.tasks = 1, 20_000, 60, 60, 10
        options.search_steps = options.steps
        options.out, options.dry = options.out.with_name("learning-quick"), True
    train_all(options)
    if options.train_only:
        return 0
    found = evaluate(options)
    judged = verdicts(found)
    grid, price, exhibits = grid_table(found), price_table(found), exhibit_table(found)
    print("\n\n".join((cost_line(options), grid, price, exhibits)))
    for sentence, holds in judged:
        print(f"  {'holds' if holds else 'FAILS'}  {sentence}")
    if options.ship:
        ship(options)
    if not options.dry:
        lines = "\n".join(f"- {'holds' if holds else 'does not hold'}: {sentence}" for sentence, holds in judged)
        write_table("learning-grid", f"{cost_line(options)}\n\n{grid}\n\n{lines}", PAGE)
        write_table("learning-price", price, PAGE)
        write_table("learning-exhibits", exhibits, PAGE)
        draw_curves(options, found, CURVES)
        draw_grid(found, GRID_FIGURE)
    return 0 if all(holds for _, holds in judged[1:]) else 1


def ship(options: argparse.Namespace) -> None:
    """Copy the found thresholds and the first policy to where the shipped assistants are read from."""
    folder = ROOT / "agents" / "data"
    folder.mkdir(parents=True, exist_ok=True)
    for source, name in ((options.out / FILE, FILE), (Path(str(training(options, 0).out)) / "policy.npz", "ppo.npz")):
        (folder / name).write_bytes(source.read_bytes())


if __name__ == "__main__":
    raise SystemExit(main())
