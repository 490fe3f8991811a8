"""Observation rows of a batch, kept from turn to turn: what ``observe`` writes, but only where something changed.

The numbers are those of :mod:`supermarket_env.rules.observe`, to the bit (a test holds both against each other). This
module belongs to no rule: it is left out of the hash that names the rule book.
"""

from __future__ import annotations

from typing import Any, Final

from supermarket_env.rules.codes import MAX_CANDIDATES, MAX_MOVES, MAX_NEEDS, N_CHECKOUT
from supermarket_env.rules.observe import (
    AT_CANDIDATES,
    AT_DIALOGUE,
    AT_MOVES,
    AT_TRIP,
    CANDIDATE_FEATURES,
    MOVE_FEATURES,
    N_ACTS,
    N_CAUSES,
    N_REASONS,
    NEED_FEATURES,
    OBSERVATION_SIZE,
    bits,
    capped,
    heard_hard_ok,
    heard_match,
    is_rejected,
    plausible_section,
    rank_candidates,
)
from supermarket_env.rules.place import nearest_checkout, touches

AT_HELD: Final = 2
AT_PLACES: Final = AT_HELD + MAX_NEEDS
SEEN: Final = AT_PLACES + MAX_NEEDS
"""Numbers that say what an observation row holds; see ``renew_rows``."""


def renew_need(s: Any, i: int, x: Any) -> None:
    """Write what is known of mentioned need ``i``."""
    at = i * NEED_FEATURES
    x[at] = 1.0
    x[at + 1] = 1.0 if s.h_type[i] >= 0 else 0.0
    x[at + 2] = 1.0 if s.h_department[i] >= 0 else 0.0
    x[at + 3] = capped(1.0 * bits(s.h_wanted[i]), 3.0)
    x[at + 4] = 1.0 if s.h_brand[i] >= 0 else 0.0
    x[at + 5] = s.h_size[i] / 3.0
    x[at + 6] = capped(1.0 * s.h_qty[i], 5.0)
    x[at + 7] = 1.0 if s.h_limit[i] > 0 else 0.0
    x[at + 8] = capped(1.0 * bits(s.h_diet[i]), 2.0)
    x[at + 9] = capped(1.0 * bits(s.h_allergy[i]), 2.0)
    x[at + 10] = capped(1.0 * bits(s.h_none[i]), 5.0)
    x[at + 11] = capped(1.0 * s.h_questions[i], 3.0)
    x[at + 12] = capped(1.0 * s.h_shown[i], 5.0)
    x[at + 13] = capped(1.0 * s.h_n_rejected[i], 5.0)
    x[at + 14] = 1.0 if s.h_accepted[i] >= 0 else 0.0
    x[at + 15] = 1.0 if s.h_closed[i] == 1 else 0.0


def renew_way(w: Any, s: Any, i: int, c: int, x: Any) -> None:
    """Write how far section ``c`` is, where mentioned need ``i`` is to be had (-1: not known where)."""
    at = i * NEED_FEATURES
    x[at + 16] = 0.0
    x[at + 17] = 0.0
    if c >= 0:
        x[at + 16] = capped(1.0 * w.way[s.node][c], 10.0)
        x[at + 17] = 1.0 if w.sees[s.node][c] != 0 else 0.0


def renew_candidates(w: Any, s: Any, i: int, x: Any) -> None:
    """Write the candidates of mentioned need ``i`` but for what is within reach (``renew_reach``)."""
    first = AT_CANDIDATES + i * MAX_CANDIDATES * CANDIDATE_FEATURES
    for k in range(MAX_CANDIDATES * CANDIDATE_FEATURES):
        x[first + k] = 0.0
    wishes = bits(s.h_wanted[i])
    for k in range(MAX_CANDIDATES):
        p = s.h_candidates[i * MAX_CANDIDATES + k]
        if p < 0:
            break
        at = first + k * CANDIDATE_FEATURES
        prod = w.prod[p]
        x[at] = 1.0
        x[at + 1] = heard_match(w, s, i, p, wishes)
        x[at + 2] = 1.0 if s.h_brand[i] >= 0 and prod.brand == s.h_brand[i] else 0.0
        x[at + 3] = 1.0 if s.h_size[i] > 0 and prod.size_class == s.h_size[i] else 0.0
        x[at + 4] = 1.0 if s.h_limit[i] > 0 and prod.price > s.h_limit[i] else 0.0
        x[at + 5] = 1.0 * heard_hard_ok(w, s, i, p)
        x[at + 6] = prod.quality
        x[at + 7] = (prod.rel_price + 1.0) / 2.5
        x[at + 8] = prod.popularity
        x[at + 9] = 1.0 * is_rejected(s, i, p)


def renew_reach(w: Any, s: Any, i: int, x: Any) -> None:
    """Write which candidates of mentioned need ``i`` are within reach."""
    for k in range(MAX_CANDIDATES):
        p = s.h_candidates[i * MAX_CANDIDATES + k]
        if p < 0:
            break
        at = AT_CANDIDATES + (i * MAX_CANDIDATES + k) * CANDIDATE_FEATURES
        x[at + 10] = 1.0 * touches(w, s.node, p)


def renew_moves(w: Any, s: Any, x: Any, seen: Any) -> None:
    """Write, per possible move, how it changes the way to open needs, to the nearest of them and to the checkout."""
    row = w.node[s.node]
    till = nearest_checkout(w, s.node)
    now = 1000000
    nearest = -1
    for i in range(s.h_n):
        c = seen[AT_PLACES + i]
        if s.h_closed[i] == 0 and c >= 0 and w.way[s.node][c] < now:
            now = w.way[s.node][c]
            nearest = c
    n = row.move_count
    if n > MAX_MOVES:
        n = MAX_MOVES
    for k in range(n):
        to = w.move[row.move_first + k].to
        at = AT_MOVES + k * MOVE_FEATURES
        x[at] = 1.0
        x[at + 3] = 1.0 if w.hops[to][till] < w.hops[s.node][till] else 0.0
        if nearest < 0:
            continue
        nearer = 0
        for i in range(s.h_n):
            c = seen[AT_PLACES + i]
            if s.h_closed[i] == 0 and c >= 0 and w.way[to][c] < w.way[s.node][c]:
                nearer = nearer + 1
        x[at + 2] = nearer * (1.0 / MAX_NEEDS)
        x[at + 1] = 0.5 + 0.1 * (now - w.way[to][nearest])
        if x[at + 1] < 0.0:
            x[at + 1] = 0.0
        if x[at + 1] > 1.0:
            x[at + 1] = 1.0


def renew_needs(w: Any, s: Any, x: Any, seen: Any, other: Any) -> None:
    """Write the blocks of needs, and those of candidates where they are not right already."""
    moved = 1 if seen[0] != s.node else 0
    seen[0] = s.node
    for i in range(s.h_n, seen[1]):  # blocks of an earlier episode
        for k in range(NEED_FEATURES):
            x[i * NEED_FEATURES + k] = 0.0
        for k in range(MAX_CANDIDATES * CANDIDATE_FEATURES):
            x[AT_CANDIDATES + i * MAX_CANDIDATES * CANDIDATE_FEATURES + k] = 0.0
        seen[AT_HELD + i] = 0
    seen[1] = s.h_n
    for i in range(s.h_n):
        c = plausible_section(w, s, i)
        seen[AT_PLACES + i] = c
        renew_need(s, i, x)
        renew_way(w, s, i, c, x)
        if s.h_stale[i] == 1:
            rank_candidates(w, s, i)
            seen[AT_HELD + i] = 0
            other[AT_HELD + i] = 0
        if seen[AT_HELD + i] == 0:
            renew_candidates(w, s, i, x)
            renew_reach(w, s, i, x)
            seen[AT_HELD + i] = 1
        elif moved == 1:
            renew_reach(w, s, i, x)


def renew_row(w: Any, s: Any, x: Any, seen: Any, other: Any) -> None:
    """Fill ``x`` (OBSERVATION_SIZE floats, each in [0, 1]) for state ``s``; see ``renew_rows``."""
    if seen[0] < 0:
        for k in range(OBSERVATION_SIZE):
            x[k] = 0.0
        seen[1] = 0
        for i in range(MAX_NEEDS):
            seen[AT_HELD + i] = 0
    renew_needs(w, s, x, seen, other)
    for k in range(AT_MOVES, AT_TRIP):
        x[k] = 0.0
    renew_moves(w, s, x, seen)
    x[AT_DIALOGUE + s.h_act] = 1.0
    x[AT_DIALOGUE + N_ACTS + s.h_reason] = 1.0
    x[AT_DIALOGUE + N_ACTS + N_REASONS + s.h_cause] = 1.0
    if s.h_need > 0:
        x[AT_DIALOGUE + N_ACTS + N_REASONS + N_CAUSES + s.h_need - 1] = 1.0
    at = AT_TRIP
    x[at] = capped(1.0 * (s.max_turns - s.turn), 80.0)
    x[at + 1] = capped(1.0 * s.turn, 80.0)
    x[at + 2] = capped(1.0 * s.n_cart, 16.0)
    x[at + 3] = capped(s.spent / 100.0, 200.0)
    x[at + 4] = 1.0 if w.node[s.node].kind == N_CHECKOUT else 0.0
    x[at + 5] = capped(1.0 * w.hops[s.node][nearest_checkout(w, s.node)], 10.0)
    x[at + 6] = capped(1.0 * s.h_n, 8.0)
    open_needs = 0
    for i in range(s.h_n):
        if s.h_closed[i] == 0:
            open_needs = open_needs + 1
    x[at + 7] = capped(1.0 * open_needs, 8.0)


def renew_rows(w: Any, states: Any, rows: Any, seen: Any, other: Any, n: int) -> None:
    """Fill ``n`` observation rows (entry point); they are float32 arrays for compiled rules, lists for plain ones.

    A row that is written again for the same episode, or the next one, keeps what did not change. ``seen`` (n, SEEN)
    says what each row holds: the node it was written for (-1: a row of unknown content, which is written whole), how
    many needs, which of their candidates are up to date, and where needs are to be had. ``other`` is the same of a
    second set of rows of these episodes, or of the first again: candidates ranked anew are noted there, too.
    """
    for k in range(n):
        renew_row(w, states[k], rows[k], seen[k], other[k])
