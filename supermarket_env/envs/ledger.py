"""The log of one episode while it runs: events, and what the user truly meant, turn by turn."""

from __future__ import annotations

from typing import Any

from supermarket_env.dialogue.acts import UserResponse
from supermarket_env.envs.decode import Decoded, Decoder
from supermarket_env.envs.narrate import Event, Narrator, short
from supermarket_env.rules import codes


def fault_event(turn: int, who: str, kind: str, detail: str) -> Event:
    """Return the ``fault`` event of a party; a long detail is cut."""
    return {"k": "fault", "turn": turn, "who": who, "kind": kind, "detail": detail[:500]}


class Ledger:
    """Events and true turns of one episode.

    Args:
        narrator: Names for the numbers.
        decoder: Numbers for the names (opening values of products).
    """

    def __init__(self, narrator: Narrator, decoder: Decoder) -> None:
        self.narrator = narrator
        self.decoder = decoder
        self.events: list[Event] = []
        self.true_turns: list[Event] = []

    def copy(self) -> Ledger:
        """Return an independent copy."""
        made = Ledger(self.narrator, self.decoder)
        made.events, made.true_turns = list(self.events), list(self.true_turns)
        return made

    def open(self, node: int, o: Any, response: UserResponse, words: str) -> None:
        """Add what is seen and said before the first turn."""
        names = self.narrator
        self.add_place(0, node)
        self.events.append(
            {
                "k": "user",
                "turn": 0,
                "act": response.act,
                "slots": names.user_slots(response),
                "text": words,
                "trust": short(o.trust),
                "irritation": short(o.irritation),
                "reveals": names.reveals(o),
            }
        )

    def add_place(self, turn: int, node: int) -> None:
        """Add what is seen after a turn."""
        names = self.narrator
        self.events.append({"k": "obs", "step": turn, "visible": names.visible[node], "at": names.node[node]})

    def add_message(self, turn: int, m: Any, o: Any, decoded: Decoded, goal: tuple[str, str] | None) -> None:
        """Add the assistant's side of a turn; ``goal`` is the goal as the assistant wrote it (kind, id)."""
        names, events = self.narrator, self.events
        events.append(names.assistant_event(turn, m, o, decoded.text))
        if decoded.items:
            events.append({"k": "recommend", "turn": turn, "items": list(decoded.items)})
        if m.sug_type:
            events.append(names.suggest_event(turn, m, o))
        if goal is not None:
            events.append(names.goal_event(turn, m, o, goal))

    def add_response(self, turn: int, o: Any, response: UserResponse, words: str) -> None:
        """Add the user's side of a turn, what it changed in the cart, and what it truly meant."""
        names, events = self.narrator, self.events
        events.append(names.user_event(turn, o, response, words))
        if o.cart_op:
            events.append(names.cart_event(turn, o))
        if o.cleared:
            events.append({"k": "cart", "turn": turn, "op": "clear", "why": "abandoned"})
        asks = o.act == codes.U_ASK or o.act == codes.U_ASK_WHERE
        self.true_turns.append(self._question(turn, o, response) if asks else {"turn": turn, "intent": response.act})

    def _question(self, turn: int, o: Any, response: UserResponse) -> Event:
        """Return what the user truly asked, for scorers of replies, with the true answer."""
        names, store = self.narrator, self.narrator.world.store
        truth: Event = {"turn": turn, "intent": response.act}
        if o.act == codes.U_ASK and response.products:
            p = o.products[0]
            truth["asked"] = {"product": response.products[0], "attribute": response.attribute}
            number = self.decoder.opening_value(p, o.slot)
            if o.slot == codes.S_PLACE:  # where it stands, whatever the assistant's map says
                number = int(store.home_section[p])
            truth["answer"] = {"value": names.field_value(o.slot, number)}
        elif o.act == codes.U_ASK_WHERE:
            truth["asked"] = {"category": response.category, "products": list(response.products)}
            if o.products[0] >= 0:
                places = store.product_sections(o.products[0])
            else:
                places = store.type_home_sections[o.category - 1]
            truth["answer"] = {"sections": [store.section_ids[c] for c in places]}
        return truth
