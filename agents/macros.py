"""Macro actions: a short numbered list of whole messages, from which all that ``rule`` says can be chosen.

A policy picks one number a turn. Number 0 says nothing; ``guide_need_j`` names the place of the j-th mentioned need
and suggests the first step there; every other macro says one thing (asks, recommends, explains, apologises, offers to
pay) and comes twice: alone, and ``on_the_way``, which also leads to the nearest thing still to get. Which product
list, which attribute and which step a macro stands for follows from what was heard, as in the rule assistant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.hearing import latest_response
from supermarket_env.agents.ranking import rank
from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.agents.rule_memory import Memory, NeedMemory
from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import SILENT, AssistantAct, AssistantMessage, Goal, Suggestion, UserResponse
from supermarket_env.dialogue.view import AssistantView, HeardNeed
from supermarket_env.errors import ConfigError

MAX_NEEDS: Final = 8
_NUMBERS: Final = range(1, MAX_NEEDS + 1)
SPEECHES: Final = (
    "explain",
    "acknowledge",
    "ask_for_more",
    "offer_checkout",
    *(f"ask_need_{j}" for j in _NUMBERS),
    *(f"recommend_need_{j}" for j in _NUMBERS),
)
"""What can be said; each with and without the way."""
MACROS: Final = (
    "silent",
    *(f"guide_need_{j}" for j in _NUMBERS),
    *SPEECHES,
    *(f"{name}_on_the_way" for name in SPEECHES),
)
"""Names of the macro actions; position = number."""
FIRST_SPEECH: Final = 1 + MAX_NEEDS
FIRST_ON_THE_WAY: Final = FIRST_SPEECH + len(SPEECHES)
N_MACROS: Final = len(MACROS)

NEED_MEMORY: Final = (
    "asked",
    "told_all",
    "lists",
    "turned_down",
    "sold_out",
    "settled",
    "lost",
    "dropped",
    "looked",
    "waits",
    "hints",
)
"""Per need, what the assistant remembers beyond the observation; each in [0, 1]."""
TRIP_MEMORY: Final = ("all_told", "annoyed", "thrift", "asked_for_more", "goal_age")
N_MEMORY: Final = MAX_NEEDS * len(NEED_MEMORY) + len(TRIP_MEMORY) + 2 + len(SPEECHES)
"""Length of :meth:`MacroPlayer.features`: needs, trip, and the latest macro as flags (guided, on the way, speech)."""
QUESTIONS_PER_NEED: Final = 3
"""Questions about one need after which the macro is masked."""
_FAR: Final = 1_000_000

Entry = tuple[int, HeardNeed, NeedMemory, int]
"""A need still to get: moves to its shelf, need, memory, section (-1 when unknown)."""


class MacroPlayer:
    """Turns macro numbers into messages and says which make sense now.

    Call ``start`` once an episode and ``look`` once a turn, then ``mask``, ``features`` and one ``message``.

    Args:
        list_length: Products in a list, 1..10; None takes that of ``config``.
        words: Whether messages carry text (costs time; the scripted user reads the slots only).
        config: Thresholds of the rule assistant, as a :class:`RuleConfig` or a mapping of its fields: how lists are
            ranked, how long they are, and when advice rests.

    Raises:
        ConfigError: ``list_length`` is out of range, or a threshold is unknown.
    """

    def __init__(
        self,
        *,
        list_length: int | None = None,
        words: bool = False,
        config: RuleConfig | Mapping[str, Any] | None = None,
    ) -> None:
        thresholds = RuleConfig.parse(config)
        if list_length is None:
            list_length = thresholds.list_length
        if not isinstance(list_length, int) or not 1 <= list_length <= 10:
            raise ConfigError(f"list_length must be in 1..10, got {list_length!r}")
        self.list_length = list_length
        self.words = words
        self._config = thresholds.model_copy(update={"list_length": list_length})
        self._shelf: Shelf
        self._says: Words
        self._memory: Memory
        self._view: AssistantView

    # --- each turn --------------------------------------------------------------------------------------------------

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._shelf = shelf_of(view.catalogue, view.store)
        self._says = Words(self._shelf)
        self._memory = Memory(self._shelf, self._config)
        self._last = 0
        self._more = 0
        self._lists: dict[int, tuple[Any, tuple[str, ...]]] = {}

    def look(self, view: AssistantView) -> None:
        """Take in what the user said and did since the last message; once a turn, the first included."""
        self._view = view
        self._heard = view.heard[:MAX_NEEDS]
        self._response = latest_response(view)
        self._memory.learn(view, self._heard, self._response)
        self._node = view.node
        self._entries: list[Entry] = []
        for need in self._heard:
            memo = self._memory.of(need.ordinal)
            section = self._section(need)
            way = self._shelf.way[self._node][section] if section >= 0 else _FAR
            self._entries.append((way, need, memo, section))
        still = [entry for entry in self._entries if not (entry[1].closed or entry[2].dropped)]
        still.sort(key=lambda entry: (entry[0], entry[1].ordinal))
        self._open = still
        self._mask: NDArray[np.int8] | None = None

    def mask(self) -> NDArray[np.int8]:
        """Return which macros say something sensible now, (N_MACROS,) of 0 and 1; number 0 always does."""
        if self._mask is None:
            mask = np.zeros(N_MACROS, dtype=np.int8)
            mask[0] = 1
            for j, entry in enumerate(self._entries, start=1):
                mask[j] = self._leads(entry) and not entry[1].closed
            speeches = self._sayable()
            mask[FIRST_SPEECH:FIRST_ON_THE_WAY] = speeches
            aim = self._aim()
            leads = aim is not None and self._leads(aim)
            mask[FIRST_ON_THE_WAY:] = [says and (leads or k == _PAY) for k, says in enumerate(speeches)]
            self._mask = mask
        return self._mask.copy()

    def features(self) -> NDArray[np.float32]:
        """Return what the player remembers as (N_MEMORY,) numbers in [0, 1]; a function of the dialogue alone."""
        x = np.zeros(N_MEMORY, dtype=np.float32)
        at = 0
        for _, _, memo, _ in self._entries:
            x[at : at + len(NEED_MEMORY)] = (
                min(1.0, len(memo.asked) / 3.0),
                memo.told_all,
                min(1.0, memo.lists / 5.0),
                memo.turned_down,
                memo.sold_out,
                memo.settled,
                memo.lost,
                memo.dropped,
                memo.looked,
                min(1.0, memo.waits / 4.0),
                min(1.0, memo.hints / 2.0),
            )
            at += len(NEED_MEMORY)
        at = MAX_NEEDS * len(NEED_MEMORY)
        memory = self._memory
        x[at : at + len(TRIP_MEMORY)] = (
            memory.all_told,
            memory.annoyed,
            min(1.0, (memory.thrift - 1.0) / 4.0),
            min(1.0, self._more / 5.0),
            min(1.0, (self._view.turn - memory.goal_turn) / 10.0),
        )
        at += len(TRIP_MEMORY)
        if 1 <= self._last < FIRST_SPEECH:
            x[at] = 1.0
        elif self._last >= FIRST_SPEECH:
            x[at + 1] = self._last >= FIRST_ON_THE_WAY
            x[at + 2 + (self._last - FIRST_SPEECH) % len(SPEECHES)] = 1.0
        return x

    def message(self, macro: int) -> AssistantMessage:
        """Return the message of a macro; one that the mask rules out says nothing.

        Raises:
            ConfigError: ``macro`` is outside 0..N_MACROS-1.
        """
        macro = int(macro)
        if not 0 <= macro < N_MACROS:
            raise ConfigError(f"a macro is a number in 0..{N_MACROS - 1}, got {macro}")
        if not self.mask()[macro]:
            macro = 0
        self._last = macro
        memory = self._memory
        memory.aim = 0
        if macro == 0:
            message = SILENT
        elif macro < FIRST_SPEECH:
            message = self._guide(self._entries[macro - 1], {"act": "guide"})
        else:
            k = (macro - FIRST_SPEECH) % len(SPEECHES)
            speech = self._say(SPEECHES[k])
            if macro < FIRST_ON_THE_WAY:
                message = self._made(speech)
            elif k == _PAY:
                message = self._to_the_till(speech)
            else:
                aim = self._aim()
                message = self._guide(aim, speech) if aim is not None else self._made(speech)
        memory.last = message
        return message

    def led_to(self, message: AssistantMessage) -> int:
        """Return the ordinal of the need whose place a message names, else of the one that would be led to; 0: none."""
        goal = message.goal
        for need in self._heard:
            if goal is not None and goal.id in (need.accepted, need.product_type):
                return need.ordinal
        aim = self._aim()
        return aim[1].ordinal if aim is not None else 0

    # --- saying -----------------------------------------------------------------------------------------------------

    def _sayable(self) -> list[bool]:
        """Return which of :data:`SPEECHES` can be said now."""
        asks = [False] * MAX_NEEDS
        offers = [False] * MAX_NEEDS
        for j, (_, need, memo, _) in enumerate(self._entries):
            if not need.closed:
                asks[j] = self._question(need, memo) != ""
                offers[j] = need.accepted is None and bool(self._list(need, memo))
        return [*(_SAYABLE[name](self) for name in SPEECHES[:4]), *asks, *offers]

    def _can_explain(self) -> bool:
        response = self._response
        return response.act in ("ask", "hesitate", "request_compare") and bool(self._known_products(response))

    def _say(self, name: str) -> dict[str, Any]:
        """Return the fields of a speech and remember that it was made."""
        word, _, number = name.rpartition("_need_")
        turn = self._view.turn
        if word == "ask":
            _, need, memo, _ = self._entries[int(number) - 1]
            attribute = self._question(need, memo)
            memo.asked.append(attribute)
            thing = need.product_type or need.department or "list"
            text = self._says.ask(thing, attribute, turn) if self.words else ""
            return {"act": "ask", "text": text, "need": need.ordinal, "attribute": attribute}
        if word == "recommend":
            _, need, memo, _ = self._entries[int(number) - 1]
            items = self._list(need, memo)
            memo.lists += 1
            memo.turned_down = False
            text = self._says.offer(str(need.product_type), items, turn, again=memo.lists > 1) if self.words else ""
            return {"act": "recommend", "text": text, "need": need.ordinal, "items": items}
        if name == "explain":
            return self._explanation(self._response)
        if name == "ask_for_more":
            self._more += 1
            return {"act": "ask", "text": self._says.ask_for_more(turn) if self.words else "", "attribute": "anything"}
        if name == "acknowledge":
            return {"act": name, "text": self._says.sorry(turn) if self.words else "", "emotion": "annoyed"}
        return {"act": "offer_checkout", "text": self._says.checkout(turn) if self.words else ""}

    def _explanation(self, response: UserResponse) -> dict[str, Any]:
        products = self._known_products(response)
        catalogue, says = self._shelf.catalogue, self._says
        slot = response.attribute or "price"
        act: AssistantAct = "confirm"
        text = ""
        if response.act == "ask":
            act, products = "inform", products[:1]
            text = says.inform(catalogue.product(products[0]), slot) if self.words else ""
        elif response.act == "request_compare" and len(products) > 1:
            act = "compare"
            text = says.compare([catalogue.product(p) for p in products], slot) if self.words else ""
        else:
            slot, products = "", products[:1]
            text = says.confirm(products[0], self._view.turn) if self.words else ""
        return {"act": act, "text": text, "need": response.need, "attribute": slot, "products": products}

    def _known_products(self, response: UserResponse) -> tuple[str, ...]:
        return tuple(p for p in response.products if p in self._shelf.catalogue.by_id)

    def _question(self, need: HeardNeed, memo: NeedMemory) -> str:
        """Return the attribute to ask for, empty when there is nothing left to ask."""
        if len(memo.asked) >= QUESTIONS_PER_NEED:
            return ""
        if need.product_type is None and "product_type" not in memo.asked:
            return "product_type"
        return "" if memo.told_all else "anything"

    def _list(self, need: HeardNeed, memo: NeedMemory) -> tuple[str, ...]:
        """Return the best products for a need that were not turned down; made once as long as nothing new is heard."""
        if need.product_type is None:
            return ()
        known = (need, memo.wishes, len(memo.excluded), self._memory.thrift)
        found = self._lists.get(need.ordinal)
        if found is None or found[0] != known:
            items = rank(
                self._shelf,
                need,
                self._config.weights,
                wishes=memo.wishes,
                excluded=memo.excluded.union(need.rejected),
                thrift=self._memory.thrift,
                count=self.list_length,
            )
            found = self._lists[need.ordinal] = (known, items)
        return found[1]

    # --- the way ----------------------------------------------------------------------------------------------------

    def _section(self, need: HeardNeed) -> int:
        if need.accepted is not None:
            return self._shelf.section_of_product(need.accepted)
        kind = self._shelf.type_number.get(need.product_type or "", -1)
        return self._shelf.section_of_type(self._node, kind) if kind >= 0 else -1

    def _aim(self) -> Entry | None:
        """Return the need to lead to: the one the user asks the way for, else the nearest one still to get."""
        asked = self._response.need if self._response.act == "ask_where" else 0
        chosen = None
        for entry in self._open:
            _, need, memo, section = entry
            if section < 0 or (memo.lost and need.accepted is None) or memo.quiet_until > self._view.turn:
                continue
            if need.ordinal == asked:
                return entry
            chosen = chosen or entry
        return chosen

    def _leads(self, entry: Entry) -> bool:
        """Return whether there is a way to show, or something to do at the shelf."""
        way, need, memo, section = entry
        return section >= 0 and (way > 0 or self._at_the_shelf(need, memo, section) is not None)

    def _guide(self, entry: Entry, speech: dict[str, Any]) -> AssistantMessage:
        """Return a speech with the place of a need and the first step there, or what to do at its shelf."""
        way, need, memo, section = entry
        self._memory.aim = need.ordinal
        if way == 0:
            hint = self._at_the_shelf(need, memo, section)
            memo.hints += hint is not None and hint.type == "add"
            return self._made(speech, suggest=hint, section=section)
        goal = None
        if not memo.settled:
            kind, name = ("product", need.accepted) if need.accepted else ("category", need.product_type)
            goal = Goal.model_construct(kind=kind, id=str(name))  # type: ignore[arg-type]
        step = self._shelf.step_to_section(self._node, section)
        return self._made(speech, goal=goal, suggest=_suggest("move", step), section=section)

    def _at_the_shelf(self, need: HeardNeed, memo: NeedMemory, section: int) -> Suggestion | None:
        if need.accepted is None:
            return None if memo.settled else _suggest("look", self._view.store.section_ids[section])
        # Without the quantity a hint to take one would cut a larger need short.
        if (need.quantity or memo.told_all) and self._view.is_legal("add", need.accepted):
            return _suggest("add", need.accepted, need.quantity or 1)
        return None

    def _to_the_till(self, speech: dict[str, Any]) -> AssistantMessage:
        step = self._shelf.step_to_checkout(self._node)
        if not step:
            return self._made(speech, suggest=_suggest("checkout"))
        till = self._view.store.node_ids[self._shelf.checkout[self._node]]
        goal = Goal.model_construct(kind="landmark", id=till)
        return self._made(speech, goal=goal, suggest=_suggest("move", step))

    def _made(
        self,
        speech: dict[str, Any],
        *,
        goal: Goal | None = None,
        suggest: Suggestion | None = None,
        section: int = -1,
    ) -> AssistantMessage:
        if goal is not None:
            self._memory.goal, self._memory.goal_turn = goal.id, self._view.turn
        if speech["act"] == "guide" and goal is None and suggest is None:
            return SILENT
        if self.words:
            parts = (speech.get("text", ""), self._says.way(goal, suggest, section))
            speech = {**speech, "text": " ".join(part for part in parts if part)}
        return AssistantMessage.model_construct(**speech, goal=goal, suggest=suggest)


_PAY: Final = SPEECHES.index("offer_checkout")
_SAYABLE: Final[dict[str, Callable[[MacroPlayer], bool]]] = {
    "explain": MacroPlayer._can_explain,
    "acknowledge": lambda player: player._memory.annoyed,
    "ask_for_more": lambda player: not player._memory.all_told and len(player._heard) < MAX_NEEDS,
    "offer_checkout": lambda player: bool(player._view.cart),
}


def _suggest(kind: str, arg: str = "", qty: int = 1) -> Suggestion:
    return Suggestion.model_construct(type=kind, arg=arg, qty=qty)  # type: ignore[arg-type]
