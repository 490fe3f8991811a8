"""What unheard phrasings cost on the text track: the same test trips in the standard words and in those held back.

    python benchmarks/held_back.py                # 100 test tasks; rewrites the table in docs/dialogue.md
    python benchmarks/held_back.py --tasks 20 --dry

Prints need satisfaction (NS) in both wordings and the paired difference with its 95 % interval.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from user_page import table, write_table

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.run.seeding import episode_seed
from supermarket_env.stats import paired_difference
from supermarket_env.tasks.suites import load_suite
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World, load_world

PAGE = Path(__file__).resolve().parents[1] / "docs" / "dialogue.md"


def play(name: str, wording: str, world: World, tasks: Sequence[Task]) -> list[float]:
    """Return the need satisfaction of an assistant by task, its users speaking in one set of phrasings."""
    user = UserConfig.model_validate({"wording": wording})
    game, assistant = Game(world, track="text", user=user, mode="plain"), make_agent(name)
    out = []
    for task in tasks:
        view = game.reset(task, seed=episode_seed(0, task.id, 0))
        assistant.start(view)
        while not game.done:
            view = game.step(assistant.reply(view))
        out.append(next(e for e in reversed(game.events) if e["k"] == "reward")["parts"].get("need_satisfaction", 0.0))
    return out


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--agents", default="retrieval,rule", help="names, separated by commas")
    parser.add_argument("--dry", action="store_true", help="do not write the page")
    options = parser.parse_args()
    tasks = load_suite("test").tasks[: options.tasks]
    world = load_world(tasks[0].catalogue, tasks[0].store)
    rows = []
    for name in options.agents.split(","):
        plain, held = (play(name, wording, world, tasks) for wording in ("standard", "held_back"))
        change = paired_difference(held, plain)
        rows.append(
            [
                f"`{name}`",
                str(len(tasks)),
                f"{sum(plain) / len(plain):.3f}",
                f"{sum(held) / len(held):.3f}",
                f"{change.mean:+.3f} [{change.low:+.3f}, {change.high:+.3f}]",
            ]
        )
    text = table(("assistant", "n", "NS, standard", "NS, held back", "difference"), rows)
    print(text)
    if not options.dry:
        write_table("held-back", text, PAGE)


if __name__ == "__main__":
    main()
