"""The random assistant: any message that looks legal, drawn from the episode's agent seed and the turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar, cast, get_args

from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.catalogue.schema import ATTRIBUTES
from supermarket_env.dialogue.acts import ActionType, AssistantAct, AssistantMessage, Goal, GoalKind, Suggestion
from supermarket_env.dialogue.view import AssistantView

_ACTS: Final = cast("tuple[AssistantAct, ...]", get_args(AssistantAct))
_ACTIONS: Final = cast("tuple[ActionType, ...]", get_args(ActionType))
_GOALS: Final = cast("tuple[GoalKind, ...]", get_args(GoalKind))
_QUESTIONS: Final = ("anything", "product_type", "brand", "size", "quantity", "price_limit", "diet", "allergy")
_ASKABLE: Final = (*_QUESTIONS, *ATTRIBUTES)
_FIELDS: Final = ("price", "unit_price", "quality", "brand", "size", "allergens")
_EMOTIONS: Final = ("pleased", "hesitant", "annoyed", "hurried", "confused")
_T = TypeVar("_T")


class _Draws:
    """Whole numbers from a counter hashed with the key (splitmix64)."""

    def __init__(self, seed: int, turn: int) -> None:
        self._key = (seed * 0x9E3779B97F4A7C15 + turn * 0xD1B54A32D192ED03) & 0xFFFFFFFFFFFFFFFF
        self._count = 0

    def below(self, n: int) -> int:
        self._count += 1
        x = (self._key + self._count * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        return (x ^ (x >> 31)) % n

    def one_of(self, values: Sequence[_T]) -> _T:
        return values[self.below(len(values))]

    def coin(self) -> bool:
        return self.below(2) == 0


class RandomMessages:
    """Draws act, slots, list, suggestion and goal; what noise does to a trip."""

    name = "random"

    def __init__(self) -> None:
        self._shelf: Shelf
        self._words: Words

    def start(self, view: AssistantView) -> None:
        """Take the map and the goods."""
        self._shelf = shelf_of(view.catalogue, view.store)
        self._words = Words(self._shelf)

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return a message drawn from the agent seed and the turn."""
        draws = _Draws(view.agent_seed, view.turn)
        act = draws.one_of(_ACTS)
        suggest = self._suggestion(view, draws) if draws.coin() else None
        goal = self._goal(view, draws) if draws.coin() else None
        parts = [self._words.way(goal, suggest, self._section(view, goal))]
        fields: dict[str, object] = {"act": act, "suggest": suggest, "goal": goal}
        need = draws.below(len(view.heard) + 1)
        if act == "ask":
            fields |= {"need": need, "attribute": draws.one_of(_ASKABLE) if need else "anything"}
            thing = view.heard[need - 1].product_type or "list" if need else "list"
            parts.insert(0, self._words.ask(thing, str(fields["attribute"]), view.turn) if need else "What else?")
        elif act == "recommend":
            items = self._items(view, draws, 1 + draws.below(10))
            fields |= {"need": need, "items": items}
            parts.insert(0, self._words.popular(items).replace("Our best sellers", "Perhaps") if items else "")
        elif act in ("inform", "compare", "confirm"):
            products = self._items(view, draws, 2 if act == "compare" else 1)
            field = draws.one_of(_FIELDS)
            fields |= {"need": need, "products": products} | ({"attribute": field} if act != "confirm" else {})
            parts.insert(0, self._about(view, act, products, field))
        elif act == "acknowledge":
            fields |= {"emotion": draws.one_of(_EMOTIONS)}
        return AssistantMessage.parse(fields | {"text": " ".join(part for part in parts if part)})

    def _about(self, view: AssistantView, act: str, products: Sequence[str], field: str) -> str:
        records = [view.catalogue.product(p) for p in products]
        if act == "confirm":
            return self._words.confirm(products[0], view.turn)
        return self._words.inform(records[0], field) if act == "inform" else self._words.compare(records, field)

    def _items(self, view: AssistantView, draws: _Draws, count: int) -> tuple[str, ...]:
        ids = view.catalogue.ids
        return tuple(dict.fromkeys(ids[draws.below(len(ids))] for _ in range(count)))

    def _suggestion(self, view: AssistantView, draws: _Draws) -> Suggestion | None:
        """Draw an action type and a parameter for it; None when it would be illegal for all the app can know."""
        kind = draws.one_of(_ACTIONS)
        arg = ""
        if kind == "move":
            arg = draws.one_of(view.legal_moves())
        elif kind == "look":
            sections = [s for s in view.visible if s in view.store.layout.section_numbers]
            arg = draws.one_of(sections) if sections else ""
        elif kind in ("inspect", "add"):
            arg = self._within_reach(view, draws)
        elif kind == "remove":
            arg = draws.one_of(view.cart).product if view.cart else ""
        needs_arg = kind in ("move", "look", "inspect", "add", "remove")
        return Suggestion(type=kind, arg=arg) if (arg or not needs_arg) and view.is_legal(kind, arg) else None

    def _within_reach(self, view: AssistantView, draws: _Draws) -> str:
        reach = self._shelf.touch[view.node]
        types = [t for t, sections in enumerate(view.store.type_home_sections) if any(reach[s] for s in sections)]
        goods = self._shelf.of_type(draws.one_of(types)) if types else ()
        return draws.one_of(goods).id if goods else ""

    def _goal(self, view: AssistantView, draws: _Draws) -> Goal:
        kind = draws.one_of(_GOALS)
        if kind == "section":
            return Goal(kind=kind, id=draws.one_of(view.store.section_ids))
        if kind == "product":
            return Goal(kind=kind, id=draws.one_of(view.catalogue.ids))
        if kind == "category":
            return Goal(kind=kind, id=draws.one_of(view.catalogue.types).name)
        return Goal(kind=kind, id=view.store.node_ids[draws.one_of(view.store.landmarks)])

    def _section(self, view: AssistantView, goal: Goal | None) -> int:
        if goal is None or goal.kind != "category":
            return -1
        return self._shelf.section_of_type(view.node, self._shelf.type_number[goal.id])
