"""What 100 episodes with language models may cost: the table of docs/bring_your_model.md.

    python -P benchmarks/llm_costs.py [--repaired 0.1] [--prices 0.15 0.60] [--dry]

Turns are those of 100 trips of `rule` with the scripted user. Tokens of a user's and an assistant's call are those that
the local model counted in the shipped recordings; a judge's prompt is written for each of the 100 trips, and counted by
the tokens a character that the shipped recording of the judge has. How many answers are asked for twice hangs on the
model and is assumed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any, Final

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import encode_episode, finish_episode
from supermarket_env.llm.recording import Recording
from supermarket_env.scorers.judge.llm import QUESTIONS
from supermarket_env.scorers.judge.prompts import rating_prompt
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import load_world

ROOT: Final = Path(__file__).resolve().parent.parent
DATA: Final = ROOT / "tests" / "data" / "llm_local"
DOC: Final = ROOT / "docs" / "bring_your_model.md"
MARKS: Final = (
    "<!-- costs: begin (python benchmarks/llm_costs.py writes this part) -->",
    "<!-- costs: end -->",
)
N: Final = 100
SAMPLES: Final = 3


def trips() -> list[Episode]:
    """Return 100 trips of the assistant `rule`."""
    found = []
    games: dict[tuple[str, str], Game] = {}
    for number, task in enumerate(load_suite("dev").tasks[:N]):
        where = task.catalogue, task.store
        game = games.setdefault(where, Game(load_world(*where), mode="plain"))
        agent = make_agent("rule")
        view = game.reset(task, seed=number)
        agent.start(view)
        while not game.done:
            view = game.step(agent.reply(view))
        found.append(finish_episode(json.loads(encode_episode(game.episode()))))
    return found


def calls_of(role: str, files: Iterable[str]) -> list[dict[str, Any]]:
    """Return the first calls (no repairs) of a role in shipped recordings."""
    found: list[dict[str, Any]] = []
    for file in files:
        opened = Recording(DATA / file, read_only=True)
        found += [c for c in opened.lines() if c["role"] == role and not c["fault"] and "repair" not in c["place"]]
        opened.close()
    return found


def length(messages: Iterable[dict[str, str]]) -> int:
    return sum(len(message["content"]) for message in messages)


def main() -> None:
    """Work the table out and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repaired", type=float, default=0.1, help="share of answers asked for twice")
    parser.add_argument("--prices", type=float, nargs=2, default=(0.15, 0.60), help="a million tokens, in and out")
    parser.add_argument("--dry", action="store_true", help="print only")
    words = parser.parse_args()
    played = trips()
    turns = mean(max(event.get("turn", 0) for event in episode.events) for episode in played)
    user = calls_of("user", ["llm.sqlite", "audit.sqlite.xz"])
    assistant = calls_of("assistant", ["llm.sqlite"])
    judge = calls_of("judge", ["judge.sqlite.xz"])
    dense = sum(c["tokens_in"] for c in judge) / sum(length(c["request"]["messages"]) for c in judge)
    asked = [length(rating_prompt(episode, dims, 0)) * dense for episode in played for dims in QUESTIONS]
    sizes = {
        "user": (mean(c["tokens_in"] for c in user), mean(c["tokens_out"] for c in user)),
        "assistant": (mean(c["tokens_in"] for c in assistant), mean(c["tokens_out"] for c in assistant)),
        "judge": (mean(asked), mean(c["tokens_out"] for c in judge)),
    }
    seat = N * turns * (1.0 + words.repaired)
    plan = [
        ("assistant only", {"assistant": seat}),
        ("user only", {"user": seat}),
        ("both", {"assistant": seat, "user": seat}),
        (f"judge, {SAMPLES} samples of {len(QUESTIONS)} questions", {"judge": float(N * SAMPLES * len(QUESTIONS))}),
    ]
    lines = [
        f"| {N} trips of {turns:.0f} turns, {words.repaired:.0%} of the answers asked for twice | calls | tokens in | "
        f"tokens out | at {words.prices[0]:g} / {words.prices[1]:g} a million |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, calls in plan:
        tokens = [sum(n * sizes[role][side] for role, n in calls.items()) / 1e6 for side in (0, 1)]
        money = sum(amount * price for amount, price in zip(tokens, words.prices, strict=True))
        lines.append(f"| {name} | {sum(calls.values()):,.0f} | {tokens[0]:.1f} M | {tokens[1]:.2f} M | {money:.2f} |")
    each = ", ".join(f"{role} {size[0]:.0f} in and {size[1]:.0f} out" for role, size in sizes.items())
    text = "\n".join(lines) + f"\n\nTokens a call: {each}."
    print(text)
    if not words.dry:
        page = DOC.read_text(encoding="utf-8")
        before, rest = page.split(MARKS[0])
        DOC.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
