"""Playing episodes while watching the user, and the tables of docs/user.md.

Used by ``behaviours.py``, ``traits.py``, ``trips.py`` and tests. By itself it rewrites what follows from the source:

    python benchmarks/user_page.py              # the tables of traits and mechanisms in docs/user.md
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim import config
from supermarket_env.user_sim.persona import TRAIT_TABLE

PAGE = Path(__file__).resolve().parent.parent / "docs" / "user.md"
WATCHED = (
    "node", "n_cart", "spent", "giving_up", "trust", "irritation", "impulse_p", "target", "status", "dormant", "place",
    "place_by", "accepted", "examined", "gone", "discovered", "avoid", "cart_p", "cart_q",
    "taste_seed", "walked", "by_ordinal",
)  # fmt: skip
"""State fields kept from before the turn, for what can only be told by comparing."""

Watcher = Callable[[Any, Any, Any, Any], None]
"""Called after every turn with (before, state, message, outcome): a :class:`Before` and the three rows."""


class Before:
    """The watched state fields as they were before a turn."""

    def __init__(self, s: Any) -> None:
        for name in WATCHED:
            value = getattr(s, name)
            setattr(self, name, list(value) if isinstance(value, list) else value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name!r} is not watched; add it to WATCHED")


def play(
    game: Game,
    agent: Any,
    task: Task,
    *,
    begin: Callable[[], None] | None = None,
    watch: Watcher | None = None,
    seed: int | None = None,
    trial: int = 0,
) -> None:
    """Play one episode of a task; ``game`` holds the result. The luck is a run's of seed 0 unless ``seed`` is given."""
    luck = episode_seed(0, task.id, trial) if seed is None else seed
    labels = EpisodeLabels(agent=getattr(agent, "name", "agent"), store=task.store, task_id=task.id, stratum=task.trip)
    view = game.reset(task, seed=luck, labels=labels)
    if hasattr(agent, "start_privileged"):
        agent.start_privileged(view, game.truth())
    else:
        agent.start(view)
    if begin is not None:
        begin()
    kernel = game.kernel
    while not game.done:
        message = agent.reply(view)
        if watch is None:
            view = game.step(message)
            continue
        before = Before(kernel.s)
        turn = game.turn
        view = game.step(message)
        if game.turn > turn and game.reason != "assistant_error":
            watch(before, kernel.s, kernel.m, kernel.o)


def agent_of(name: str, doubles: dict[str, Callable[[], Any]]) -> Any:
    """Return a shipped assistant, or a test double by name."""
    return doubles[name]() if name in doubles else make_agent(name)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def write_table(marker: str, text: str, page: Path = PAGE) -> None:
    """Put ``text`` between the lines ``<!-- marker -->`` and ``<!-- /marker -->`` of the page.

    Raises:
        ValueError: The page lacks the marks.
    """
    old = page.read_text(encoding="utf-8")
    first, last = f"<!-- {marker} -->\n", f"<!-- /{marker} -->"
    if old.count(first) != 1 or old.count(last) != 1:
        raise ValueError(f"{page.name} needs the lines {first.strip()} and {last} once each")
    start = old.index(first) + len(first)
    page.write_text(old[:start] + "\n" + text.strip() + "\n\n" + old[old.index(last) :], encoding="utf-8")


SHAPES = {"uniform": "even", "low": "mostly low", "middle": "mostly in the middle"}


def trait_table() -> str:
    """Return the table of persona traits, from the table the sampler reads."""
    rows = [
        [
            f"`{t.name}`",
            f"{t.low:g} to {t.high:g}",
            SHAPES[t.shape],
            f"{t.minimum:g} to {t.maximum:g}",
            t.meaning,
            t.source,
        ]
        for t in TRAIT_TABLE
    ]
    return table(("trait", "drawn from", "how", "may be set to", "what it is", "source"), rows)


def mechanism_table() -> str:
    """Return the table of mechanisms, from the configuration class and the docstrings of its fields."""
    tree = ast.parse(inspect.getsource(config))
    shares = config.StockOutShares()
    about = "Share of this reaction to a sold-out product (GMA/FMI 2002)."
    rows = [[f"`stock_out.{name}`", f"{value:g}", "0 to 1", about] for name, value in shares.model_dump().items()]
    meanings: dict[str, str] = {}
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Mechanisms")
    for field, after in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            meanings[field.target.id] = " ".join(str(ast.literal_eval(after.value)).split())
    for name, info in config.Mechanisms.model_fields.items():
        if name != "stock_out":
            low, high = (next(getattr(m, end) for m in info.metadata if hasattr(m, end)) for end in ("ge", "le"))
            rows.append([f"`{name}`", f"{info.default:g}", f"{low:g} to {high:g}", meanings[name]])
    return table(("key", "default", "range", "meaning"), rows)


if __name__ == "__main__":
    write_table("trait-table", trait_table())
    write_table("mechanisms", mechanism_table())
