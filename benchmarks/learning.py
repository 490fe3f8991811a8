"""Does a learned policy beat the rule assistant, where does it still hold, and what does it need?

    python benchmarks/learning.py              # trains, evaluates; rewrites tables and figures of docs/training.md
    python benchmarks/learning.py --quick      # one small seed, few tasks, nothing written to the page

Work is kept in ``--out``: what is trained or played already is not done again, so an interrupted run goes on. The
opponent is ``rule_tuned``: the rule assistant's thresholds searched with as many environment steps as the policy gets.
The headline is the share of the gap from ``rule_tuned`` to ``oracle`` that a learner closes, over training seeds and
tasks. Exit code 1 when ``learned`` is not better than ``rule_tuned`` on new tasks, or buys more that breaks a hard
constraint or spends more.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

import numpy as np
from informed import Informed
from learning_pages import (
    HOME,
    REFERENCES,
    Grid,
    Played,
    cost_line,
    curve,
    draw_curves,
    draw_grid,
    exhibit_table,
    gap_share,
    grid_table,
    price_table,
    record,
    seeds_of,
)
from user_page import write_table

from supermarket_env.agents.goods_network import GoodsNetwork
from supermarket_env.agents.learned import SHIPPED, Learned
from supermarket_env.agents.ppo import Ppo
from supermarket_env.agents.registry import make_agent
from supermarket_env.agents.rule import Rule
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.events.types import PAID_REASONS
from supermarket_env.metrics.aggregate import rows_of
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.suites import load_suite, world_of
from supermarket_env.tasks.task import Task
from supermarket_env.train.config import GoodsConfig, TrainConfig
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
VARIANTS: Final[dict[str, dict[str, Any]]] = {
    "clone": {"ppo": None},
    "dialogue": {"blind": "dialogue"},
    "position": {"blind": "position"},
    "standpoint": {"blind": "standpoint"},
    "success": {"reward": "success", "start": "nothing"},
}
"""Exhibits beside the main policy, one seed each; ``clone`` stops after cloning."""
PARTS: Final[dict[str, dict[str, Any]]] = {
    "goods_order": {"second_lists": False},
}
"""Habits of ``learned`` that are taken away, to see what each part is worth."""
MAIN: Final = "learned"
AIM: Final = 0.3


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


def goods_training(options: argparse.Namespace, seed: int) -> GoodsConfig:
    """Return the configuration of a training run of the learned assistant."""
    out = str(options.out / f"goods{seed}")
    return GoodsConfig(out=out, seed=seed, steps=options.goods_steps, mode=options.mode)


class Evaluator:
    """Plays assistants on cells of the grid and keeps what came out."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._games: dict[tuple[str, str], Game] = {}

    def play(self, name: str, assistant: Any, cell: str) -> Played:
        """Return the figures of one assistant in one cell, from the file when they are there."""
        n = self.options.home_tasks if cell == HOME else self.options.tasks
        file = self.options.out / "played" / f"{name}--{cell.replace(' ', '_')}--{n}.json"
        if file.is_file():
            return json.loads(file.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
        user = GRID[cell][3]
        trips = [self._trip(name, assistant, task, user) for task in cell_tasks(cell, n)]
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


def train_all(options: argparse.Namespace) -> None:
    """Search the opponent's thresholds and train what is missing."""
    if not (options.out / FILE).is_file():
        begin = time.process_time()
        save(tune(TrainConfig(steps=max(options.steps, options.search_steps), mode=options.mode)), options.out)
        print(f"rule_tuned: {time.process_time() - begin:.0f} s CPU", flush=True)
    from supermarket_env.train.ppo import train

    for seed in range(options.first_seed, options.seeds):
        run_one(train, training(options, seed), f"seed {seed}")
    from supermarket_env.train.goods import train as train_goods

    for seed in range(options.first_seed, options.seeds):
        folder = train_goods(goods_training(options, seed))
        print(f"learned, seed {seed}: {record(folder)['cpu_seconds']} s CPU", flush=True)
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


def evaluate(options: argparse.Namespace) -> Grid:
    """Return the figures of every assistant by cell."""
    evaluator = Evaluator(options)
    tuned = json.loads((options.out / FILE).read_text(encoding="utf-8"))["config"]
    found: dict[str, dict[str, Played]] = {}
    for cell in GRID:
        here = found[cell] = {}
        for name in REFERENCES:
            here[name] = evaluator.play(name, reference(name, tuned), cell)
        for seed in range(options.seeds):
            here[f"learned{seed}"] = evaluator.play(f"learned{seed}", learned(options, seed), cell)
            here[f"ppo{seed}"] = evaluator.play(f"ppo{seed}", policy(options, seed), cell)
        if cell == HOME and not options.no_variants:
            for name, habits in PARTS.items():
                here[name] = evaluator.play(name, learned(options, 0, habits), cell)
            for variant in VARIANTS:
                here[variant] = evaluator.play(variant, policy(options, 0, variant), cell)
        print(f"{cell}: played", flush=True)
    return found


def reference(name: str, tuned: dict[str, Any]) -> Any:
    """Return a reference assistant; ``tuned`` are the thresholds that were found."""
    if name == "rule_tuned":
        return Rule(tuned, name=name)
    return Informed(tuned, name=name) if name == "informed" else make_agent(name)


def learned(options: argparse.Namespace, seed: int, habits: dict[str, Any] | None = None) -> Learned:
    """Return a learned assistant; with ``habits`` some of them are others."""
    network = GoodsNetwork.load(options.out / f"goods{seed}" / SHIPPED)
    return Learned(network=network, habits={**network.meta["habits"], **(habits or {})})


def policy(options: argparse.Namespace, seed: int, variant: str | None = None) -> Ppo:
    """Return a trained policy as an assistant."""
    return Ppo(str(training(options, seed, variant).out), words=False)


def verdicts(found: Grid) -> list[tuple[str, bool]]:
    """Return the conditions, each with whether it holds."""
    here = found[HOME]
    share, low, _ = gap_share(seeds_of(here, "ns", MAIN), here["rule_tuned"]["ns"], here["oracle"]["ns"])
    violations = np.mean(seeds_of(here, "violations", MAIN)) - np.mean(here["rule_tuned"]["violations"])
    spent = np.mean(seeds_of(here, "spent", MAIN)) / max(1e-9, float(np.mean(here["rule_tuned"]["spent"])))
    return [
        (
            f"aim: `{MAIN}` closes at least {100 * AIM:.0f} % of the gap on new tasks (measured {100 * share:.0f} %)",
            share >= AIM,
        ),
        (f"`{MAIN}` is better than `rule_tuned` on new tasks, interval above 0", low > 0.0),
        (f"no more violations than `rule_tuned` (difference {violations:+.3f} a trip)", bool(violations <= 0.01)),
        (f"no more spent than `rule_tuned` (ratio {spent:.3f})", bool(spent <= 1.02)),
    ]


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    made = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    made.add_argument("--seeds", type=int, default=5)
    made.add_argument("--steps", type=int, default=200_000, help="environment steps a seed")
    made.add_argument("--search-steps", type=int, default=250_000, help="environment steps of the threshold search")
    made.add_argument("--goods-steps", type=int, default=96_000, help="environment steps of a seed of `learned`")
    made.add_argument("--pool", type=int, default=1500, help="training tasks")
    made.add_argument("--demonstrations", type=int, default=800, help="trips of rule_tuned to clone")
    made.add_argument("--tasks", type=int, default=100, help="tasks a cell of the grid")
    made.add_argument("--home-tasks", type=int, default=200, help="new tasks: the first cell, where the question is")
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
        options.home_tasks = options.tasks
        options.search_steps = options.goods_steps = options.steps
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
    """Copy the found thresholds and what seed 0 learned to where the shipped assistants are read from."""
    folder = ROOT / "agents" / "data"
    folder.mkdir(parents=True, exist_ok=True)
    sources = {
        FILE: options.out / FILE,
        "ppo.npz": Path(str(training(options, 0).out)) / "policy.npz",
        SHIPPED: options.out / "goods0" / SHIPPED,
    }
    for name, source in sources.items():
        (folder / name).write_bytes(source.read_bytes())


if __name__ == "__main__":
    raise SystemExit(main())
