"""The terminal user: a person types. The log is the same as of any other user.

Each line is one turn: words, an action, or both (``I'd like some rye bread /go N014``). Words without an action wait,
an action without words is silent. Words are read by the same parser the text track uses, and only what the person says
about the task's own needs counts as a fact. An empty line does what the scripted user would do. When the input ends,
the person has left.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final, TextIO

from supermarket_env.dialogue.acts import Fact, UserResponse
from supermarket_env.dialogue.parse import Parser
from supermarket_env.envs.users import UserAction, UserSeat, UserTurn
from supermarket_env.tasks.task import Need

HELP: Final = """\
A line is a turn: words, an action, or both.
  /go NODE   /look SECTION   /inspect PRODUCT   /take PRODUCT [N]   /back PRODUCT [N]   /wait   /pay   /leave
  an empty line: what the simulated user would do     /moves: what is possible     /needs: the shopping list     /help
"""
_COMMANDS: Final = {
    "go": "move",
    "look": "look",
    "inspect": "inspect",
    "take": "add",
    "back": "remove",
    "wait": "wait",
    "pay": "checkout",
    "leave": "leave",
}
_QUESTIONS: Final = frozenset({"moves", "needs", "help"})


class Terminal:
    """A person at the keyboard.

    Args:
        source: Where lines come from; standard input by default.
        out: Where the screen goes; standard error by default, so that results stay alone on standard output.
    """

    name = "terminal"
    version = "1"

    def __init__(self, *, source: TextIO | None = None, out: TextIO | None = None) -> None:
        self._source, self._out = source, out
        self._parser: Parser | None = None
        self._world: tuple[str, str] = ("", "")

    def start(self, seat: UserSeat) -> None:
        """Begin an episode: show the shopping list."""
        world = seat.catalogue.content_hash, seat.store.content_hash
        if self._parser is None or world != self._world:
            self._parser, self._world = Parser(seat.catalogue, seat.store), world
        self._show(f"\n=== {seat.task_id}: a new trip. Type /help for help.")
        self._show_needs(seat)

    def respond(self, seat: UserSeat) -> UserTurn:
        """Show the message and what is around, read a line, return the turn."""
        self._show_turn(seat)
        while True:
            line = self._read()
            if line is None:
                seat.report("input_ended", "the input has no more lines: the person has left")
                return UserTurn("bye", UserAction("leave"), text="")
            if not line:
                return seat.scripted()
            words, _, command = line.partition("/")
            if command.split(" ")[0] in _QUESTIONS:
                self._answer(command.split(" ")[0], seat)
                continue
            action = self._action(command, seat)
            if action is not None:
                return self._turn(words.strip(), action, seat)

    def _read(self) -> str | None:
        line = (self._source or sys.stdin).readline()
        return line.strip() if line else None

    def _show(self, text: str) -> None:
        print(text, file=self._out or sys.stderr, flush=True)

    def _show_needs(self, seat: UserSeat) -> None:
        self._show(f"Your budget: {seat.budget:.2f}. You need:")
        still = set(seat.open_needs)
        for number, need in enumerate(seat.needs, start=1):
            self._show(f"  {'[ ]' if number in still else '[x]'} {_describe(need)}")

    def _show_turn(self, seat: UserSeat) -> None:
        message, cat = seat.message, seat.catalogue
        self._show(f"\n--- turn {seat.turn}, {seat.turns_left} left; you are at {seat.position}")
        spoken = message.text or (f"({message.act})" if message.act != "chat" else "(says nothing)")
        self._show(f"assistant: {spoken}")
        for name in message.items:
            if name in cat.by_id:
                number = cat.by_id[name]
                self._show(f"  * {name} {cat.names[number]}, {cat.price_cents[number] / 100:.2f}")
        if message.suggest is not None:
            self._show(f"  hint: {message.suggest.type} {message.suggest.arg}".rstrip())
        if message.goal is not None:
            self._show(f"  goal: {message.goal.kind} {message.goal.id}")
        self._show(f"in view: {', '.join(seat.visible)}")
        if seat.cart:
            goods = ", ".join(f"{qty} x {cat.names[cat.by_id[p]]} [{p}]" for p, qty in seat.cart.items())
            self._show(f"cart: {goods} = {seat.spent:.2f} of {seat.budget:.2f}")

    def _answer(self, question: str, seat: UserSeat) -> None:
        show: dict[str, Callable[[], None]] = {
            "moves": lambda: self._show_moves(seat),
            "needs": lambda: self._show_needs(seat),
            "help": lambda: self._show(HELP),
        }
        show[question]()

    def _show_moves(self, seat: UserSeat) -> None:
        words = {action: word for word, action in _COMMANDS.items()}
        cat = seat.catalogue
        for action in seat.legal_actions():
            name = f" ({cat.names[cat.by_id[action.arg]]})" if action.arg in cat.by_id else ""
            self._show(f"  /{words[action.type]} {action.arg}{name}".rstrip())

    def _action(self, command: str, seat: UserSeat) -> UserAction | None:
        """Return the action of a command; None after saying what is wrong with it."""
        parts = command.split()
        if not parts:
            return UserAction("wait")
        if parts[0] not in _COMMANDS:
            self._show(f"unknown command /{parts[0]}. {HELP}")
            return None
        kind, arg = _COMMANDS[parts[0]], parts[1] if len(parts) > 1 else ""
        count = parts[2] if len(parts) > 2 else "1"
        possible = seat.legal_actions()
        if not any(a.type == kind and a.arg == arg for a in possible):
            args = [a.arg for a in possible if a.type == kind and a.arg]
            self._show(f"/{command} is not possible here" + (f"; try one of {', '.join(args[:20])}" if args else ""))
            return None
        if not (count.isascii() and count.isdigit() and 1 <= int(count) <= 99):
            self._show(f"how many? expected a number from 1 to 99, got {count}")
            return None
        return UserAction(kind, arg, int(count) if kind in ("add", "remove") else 0)

    def _turn(self, words: str, action: UserAction, seat: UserSeat) -> UserTurn:
        if not words:
            return UserTurn("bye" if action.type in ("checkout", "leave") else "chat", action, text="")
        assert self._parser is not None
        said = self._parser.user(words, asked=seat.message, mentioned=seat.heard)
        own = _own_needs(said, seat)
        return UserTurn(
            act=said.act or "chat",
            action=action,
            facts=tuple(Fact(own[f.need], f.attribute, f.value) for f in said.facts if own.get(f.need)),
            need=own.get(said.need, 0),
            attribute=said.attribute,
            products=said.products,
            category=said.category,
            reason=said.reason,
            cause=said.cause,
            text=words,
        )


def _describe(need: Need) -> str:
    """Return a need as a line of the shopping list."""
    parts = [f"{need.qty} x {' or '.join(need.types)}"]
    parts += [f"without {name}" for name in need.allergens] + [f"only {name}" for name in need.diets]
    parts += [f"likes {name}" for name in need.wants]
    if need.brand:
        parts.append(f"likes {need.brand}")
    if need.size:
        parts.append(f"{need.size} size")
    if need.price_limit_cents:
        parts.append(f"at most {need.price_limit_cents / 100:.2f}")
    return ", ".join(parts)


def _own_needs(said: UserResponse, seat: UserSeat) -> dict[int, int]:
    """Return listener's need number -> own need number; a new one is the first unmentioned need that fits its type."""
    own = dict(enumerate(seat.mentioned, start=1))
    departments = {kind.name: kind.department for kind in seat.catalogue.types}
    for fact in said.facts:
        if fact.need in own or fact.attribute not in ("product_type", "department"):
            continue
        for number, need in enumerate(seat.needs, start=1):
            fits = fact.value in need.types or fact.value in {departments.get(name) for name in need.types}
            if number not in own.values() and fits:
                own[fact.need] = number
                break
    return own
