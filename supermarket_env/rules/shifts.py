"""Store events: the stock changes planned for a trip happen, each at the beginning of its turn."""

from __future__ import annotations

from typing import Any

from supermarket_env.rules.place import left_on_shelf, shift_stock


def due_changes(w: Any, s: Any) -> None:
    """Bring the shelves to what is planned for this turn (``s.turn``): sold out, or filled up again.

    A plan names the units left on the shelf, not how many come or go, so that it holds whatever the user took before.
    """
    for k in range(s.n_due):
        if s.due_turn[k] == s.turn:
            p = s.due_p[k]
            shift_stock(s, p, s.due_left[k] - left_on_shelf(w, s, p))
