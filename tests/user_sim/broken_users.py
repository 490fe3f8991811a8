"""Eight users that are broken on purpose, each in one way; not a test module of its own."""

from __future__ import annotations

import itertools
from dataclasses import replace

from supermarket_env.dialogue.acts import Fact
from supermarket_env.envs.users import UserAction, UserSeat, UserTurn


class Scripted:
    """The scripted user through the model's door; the base of the broken ones."""

    name = "by_the_door"
    version = "1"

    def start(self, seat: UserSeat) -> None:
        """Begin an episode."""

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return the scripted answer."""
        return seat.scripted()


class Contradicts(Scripted):
    """Wants one more of everything each time it is asked."""

    name = "contradicts"

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return an answer with a quantity that grows."""
        plan = seat.scripted()
        if plan.act == "answer" and seat.mentioned:
            need = seat.mentioned[0]
            return replace(plan, facts=(Fact(need, "quantity", min(9, seat.turn)),), need=need)
        return plan


class Leaks(Scripted):
    """Reads its best buy aloud, by its full name."""

    name = "leaks"

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return the scripted answer with a name nobody showed."""
        cat = seat.catalogue
        kinds = [cat.type_number(kind) for need in seat.needs for kind in need.types]
        goods = (cat.ids[p] for kind in kinds for p in cat.products_of(kind))
        best = next((p for p in goods if seat.acceptable(p)), None)
        return seat.scripted() if best is None else replace(seat.scripted(), text=f"{cat.names[cat.by_id[best]]}!")


class Illegal(Scripted):
    """Tries to pay at the entrance."""

    name = "illegal"

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return an action that is not legal."""
        return replace(seat.scripted(), action=UserAction("checkout")) if seat.turn == 1 else seat.scripted()


class Quits(Scripted):
    """Leaves in the second turn."""

    name = "quits"

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return the scripted answer, then goodbye."""
        return UserTurn("bye", UserAction("leave")) if seat.turn == 2 else seat.scripted()


class AcceptsAll(Scripted):
    """Says yes to the first item of every list."""

    name = "accepts_all"

    def respond(self, seat: UserSeat) -> UserTurn:
        """Accept."""
        items = seat.message.items
        return replace(seat.scripted(), act="accept", facts=(), products=items[:1]) if items else seat.scripted()


class RejectsAll(Scripted):
    """Says no to every list."""

    name = "rejects_all"

    def respond(self, seat: UserSeat) -> UserTurn:
        """Turn the first item down, without a reason."""
        items, plan = seat.message.items, seat.scripted()
        if not items:
            return plan
        return UserTurn("reject", UserAction("wait"), products=items[:1], reason="no_reason")


class Repeats(Scripted):
    """Has one sentence."""

    name = "repeats"

    def respond(self, seat: UserSeat) -> UserTurn:
        """Say it."""
        return replace(seat.scripted(), text="Well, you know how it is.")


class Undetermined(Scripted):
    """Counts across episodes and instances, and says so."""

    name = "undetermined"
    _count = itertools.count()

    def respond(self, seat: UserSeat) -> UserTurn:
        """Say the number."""
        return replace(seat.scripted(), text=f"Number {next(self._count)}.")
