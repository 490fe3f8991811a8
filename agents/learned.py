"""The learned assistant: the tuned rule's conversation, with learned judgement of the goods.

It says what the rule assistant says, but for two things. Lists are ordered by a network that was trained on what users
turned out to like (:mod:`supermarket_env.agents.goods_network`). And when the user wavers or asks about a product, it
shows a second list, led by that product: until the yes, more choice does no harm. It can also keep an account of the
user's patience, and ask and show less when that runs low (``hurry_at``).
"""

from __future__ import annotations

from collections.abc import Collection
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supermarket_env.agents.goods_network import Floats, GoodsNetwork, Leaning, goods_features, suitable
from supermarket_env.agents.rule import Rule, _Now, _Speech
from supermarket_env.agents.rule_memory import NeedMemory
from supermarket_env.agents.shelf import Goods
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.dialogue.view import AssistantView, HeardNeed
from supermarket_env.errors import ConfigError, nearest

SHIPPED: Final = "learned.npz"
_WAVERS: Final = ("ask", "hesitate", "request_compare")
_BUSY: Final = ("move", "add", "remove", "checkout")
_TOP: Final = 4
"""Items of a list that are taken as read when one of them was chosen."""
_SHRINK: Final = 2.0


class Habits(BaseModel):
    """What can be set beside the thresholds of the rule assistant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    list_length: Annotated[int, Field(ge=1, le=10)] = 10
    second_lists: bool = True
    """Whether a user who wavers is shown more."""
    read: Annotated[int, Field(ge=1, le=10)] = 3
    """Items of the first list that are taken as read and left out of the second."""
    turn_cost: Annotated[float, Field(ge=0.0, le=5.0)] = 0.25
    """Patience taken to be lost with every turn."""
    wait_cost: Annotated[float, Field(ge=0.0, le=5.0)] = 0.6
    """The same, besides, for a turn without walking or handling goods."""
    item_cost: Annotated[float, Field(ge=0.0, le=5.0)] = 0.055
    """The same for every item shown."""
    hurry_at: Annotated[float, Field(ge=0.0, le=1000.0)] = 1000.0
    """Patience lost from which on it hurries; nobody has as much as 1000."""
    hurried_list: Annotated[int, Field(ge=1, le=10)] = 5
    """Products in a list when it hurries."""
    hurried_questions: bool = False
    """Whether it still asks what matters about a need whose type is known."""


class Learned(Rule):
    """Plays what ``supermarket train goods`` wrote.

    Args:
        path: The file, or the folder of a training run; None is the shipped one.
        name: Name in logs and tables.
        network: The network itself, in place of a file.
        habits: Fields of :class:`Habits`; None takes those in the file.

    Raises:
        ConfigError: The file cannot be read, or a habit is unknown or out of range.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        name: str = "learned",
        network: GoodsNetwork | None = None,
        habits: Habits | dict[str, Any] | None = None,
    ) -> None:
        if network is None:
            network = _shipped() if path is None else GoodsNetwork.load(_file_of(Path(path)))
        self.network = network
        self.habits = _habits(network.meta.get("habits", {}) if habits is None else habits)
        super().__init__({**network.thresholds, "list_length": self.habits.list_length}, name)

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        super().start(view)
        self._shown: dict[int, tuple[str, ...]] = {}
        self._seconds: set[int] = set()
        self._choices: list[tuple[float, float]] = []
        self._chosen: set[int] = set()
        self._tired = 0.0

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the message of this turn."""
        habits = self.habits
        if view.turn > 1:
            self._tired += habits.turn_cost
            self._tired += 0.0 if view.last_action[0] in _BUSY else habits.wait_cost
        message = super().reply(view)
        self._tired += habits.item_cost * len(message.items)
        return message

    @property
    def hurries(self) -> bool:
        """Whether the user's patience is taken to run low."""
        return self._tired > self.habits.hurry_at

    # --- judgement --------------------------------------------------------------------------------------------------

    def judged(self, now: _Now, need: HeardNeed, memo: NeedMemory, left_out: Collection[str]) -> list[str]:
        """Return the goods of a need's type that may be shown, best first."""
        goods, features = self.seen(now, need, memo)
        if not goods:
            return []
        worth = self.network.worth(features)
        thrift = self._memory.thrift
        # A refusal for the price counts as in the rule assistant: the network has seen few.
        extra = 0.5 * self.config.weights.price * (thrift - 1.0)
        fit = [
            (-round(float(w) - extra * g.relative_price, 9), g.number, g.id)
            for w, g in zip(worth, goods, strict=True)
            if g.id not in left_out and suitable(need, g)
        ]
        return [entry[2] for entry in sorted(fit)]

    def seen(self, now: _Now, need: HeardNeed, memo: NeedMemory) -> tuple[tuple[Goods, ...], Floats]:
        """Return the goods of a need's type and the (goods, FEATURES) that the network judges by."""
        return goods_features(self._shelf, need, memo, now.heard, self._leaning(), self._memory.thrift)

    def _leaning(self) -> Leaning:
        n = len(self._choices) + _SHRINK
        return Leaning(sum(c[0] for c in self._choices) / n, sum(c[1] for c in self._choices) / n)

    def _learn_choice(self, now: _Now) -> None:
        """Take in what the choice from a list says of the user; once a need."""
        response = now.response
        ordinal = response.need
        if response.act != "accept" or not response.products or ordinal in self._chosen:
            return
        items = self._shown.get(ordinal, ())
        chosen = response.products[0]
        if chosen not in items:
            return
        self._chosen.add(ordinal)
        kind = self._shelf.type_of[self._shelf.catalogue.number(chosen)]
        goods = {g.id: g for g in self._shelf.of_type(kind)}
        read = [goods[p] for p in items[: max(items.index(chosen) + 1, _TOP)] if p in goods]
        if chosen not in goods or not read:
            return
        dearer = goods[chosen].relative_price - sum(g.relative_price for g in read) / len(read)
        wanted = now.heard[ordinal - 1].brand if ordinal <= len(now.heard) else None
        loyal = 0.0
        if wanted is not None and any(g.brand == wanted for g in read):
            loyal = 1.0 if goods[chosen].brand == wanted else -1.0
        self._choices.append((dearer, loyal))

    # --- talking ----------------------------------------------------------------------------------------------------

    def _explain(self, now: _Now) -> _Speech | None:
        self._learn_choice(now)
        return self._second_list(now) or super()._explain(now)

    def _second_list(self, now: _Now) -> _Speech | None:
        """More choice for who wavers: what it thinks of stands first, then what it can hardly have read yet."""
        response = now.response
        ordinal = response.need
        first = self._shown.get(ordinal, ())
        if not self.habits.second_lists or response.act not in _WAVERS or ordinal in self._seconds or not first:
            return None
        need = next((need for need in now.heard if need.ordinal == ordinal), None)
        if need is None or need.accepted is not None or not response.products:
            return None
        self._seconds.add(ordinal)
        memo = self._memory.of(ordinal)
        lead = response.products[0]
        last = max((first.index(p) for p in response.products if p in first), default=0)
        read = {lead, *first[: max(self.habits.read, last + 1)]}
        more = self.judged(now, need, memo, memo.excluded.union(need.rejected, read))[: self._length() - 1]
        if not more or need.product_type is None:
            return None
        items = self._shown[ordinal] = (lead, *more)
        return _Speech(
            "recommend", self._words.offer(need.product_type, items, now.turn, again=True), ordinal, items=items
        )

    def _length(self) -> int:
        return min(self.config.list_length, self.habits.hurried_list) if self.hurries else self.config.list_length

    def _question(self, now: _Now, need: HeardNeed, memo: NeedMemory, way: int) -> _Speech | None:
        if self.hurries and not self.habits.hurried_questions and need.product_type is not None:
            return None
        return super()._question(now, need, memo, way)

    def _ranked(self, now: _Now, need: HeardNeed, memo: NeedMemory) -> tuple[str, ...]:
        items = tuple(self.judged(now, need, memo, memo.excluded.union(need.rejected))[: self._length()])
        if items:
            self._shown[need.ordinal] = items
        return items


def _habits(value: Habits | dict[str, Any]) -> Habits:
    if isinstance(value, Habits):
        return value
    try:
        return Habits.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        hint = nearest(place, Habits.model_fields) if first["type"] == "extra_forbidden" else ""
        raise ConfigError(f"learned assistant, habits.{place}: {first['msg']}.{hint}") from None


def _file_of(path: Path) -> Path:
    return path / SHIPPED if path.is_dir() else path


def _shipped() -> GoodsNetwork:
    file = resources.files("supermarket_env.agents") / "data" / SHIPPED
    if not file.is_file():
        raise ConfigError("no learned assistant is shipped; train one: supermarket train goods, and give its path")
    with resources.as_file(file) as path:
        return GoodsNetwork.load(path)
