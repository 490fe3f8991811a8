"""Two probes that talk of nothing but the next step: whoever walks anyway seems to obey them."""

from __future__ import annotations

from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.agents.words import Words
from supermarket_env.dialogue.acts import SILENT, AssistantMessage, Goal, Suggestion
from supermarket_env.dialogue.view import AssistantView


class AlwaysMove:
    """Suggests a step every turn, on round the store, wherever the user wants to go."""

    name = "always_move"

    def __init__(self) -> None:
        self._words: Words
        self._been: dict[str, int] = {}

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._words = Words(shelf_of(view.catalogue, view.store))
        self._been = {}

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the step to the neighbour where the user was least recently; silent where there is none."""
        self._been[view.position] = view.turn
        moves = view.legal_moves()
        if not moves:
            return SILENT
        suggest = Suggestion(type="move", arg=min(moves, key=lambda node: self._been.get(node, 0)))
        return AssistantMessage(act="guide", suggest=suggest, text=self._words.way(None, suggest))


class NearGoal:
    """Names as its goal, every turn, a shelf that comes into view with the next step, and suggests that step."""

    name = "near_goal"

    def __init__(self) -> None:
        self._shelf: Shelf
        self._words: Words
        self._named: set[int] = set()
        self._been: dict[str, int] = {}

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self._shelf = shelf_of(view.catalogue, view.store)
        self._words = Words(self._shelf)
        self._named = set()
        self._been = {}

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return a goal one step out of view that was not named before; silent where there is none."""
        self._been[view.position] = view.turn
        store = view.store
        visible = store.visible
        unseen = [s for s in range(store.n_sections) if s not in self._named and not visible[view.node, s]]
        for node in sorted(view.legal_moves(), key=lambda name: self._been.get(name, 0)):
            place = store.node_ids.index(node)
            for section in unseen:
                if visible[place, section]:
                    return self._lead(view, node, section)
        return SILENT

    def _lead(self, view: AssistantView, node: str, section: int) -> AssistantMessage:
        self._named.add(section)
        goal = Goal(kind="section", id=view.store.section_ids[section])
        suggest = Suggestion(type="move", arg=node)
        return AssistantMessage(act="guide", goal=goal, suggest=suggest, text=self._words.way(goal, suggest, section))
