"""The relational observation of the assistant's seat: one flat row of floats, a function of the dialogue and the map.

It holds relations only (matches, differences of distances, shares), never a product, node, task or seed number, so
what is learned in one store can hold in another. Everything about needs comes from the belief (``h_`` fields). The
layout of the row is in ``NEED_FEATURES`` ... ``OBSERVATION_SIZE``; names are in ``supermarket_env.envs.spaces``.
"""

from __future__ import annotations

from typing import Any, Final

from supermarket_env.rules.codes import (
    CAUSES,
    MAX_CANDIDATES,
    MAX_MOVES,
    MAX_NEEDS,
    MAX_REJECTED,
    N_CHECKOUT,
    REASONS,
    USER_ACTS,
)
from supermarket_env.rules.place import nearest_checkout, nearest_section_of, touches

NEED_FEATURES: Final = 18
CANDIDATE_FEATURES: Final = 11
MOVE_FEATURES: Final = 4
TRIP_FEATURES: Final = 8
N_ACTS: Final = len(USER_ACTS)
N_REASONS: Final = len(REASONS)
N_CAUSES: Final = len(CAUSES)
DIALOGUE_FEATURES: Final = N_ACTS + N_REASONS + N_CAUSES + MAX_NEEDS
AT_CANDIDATES: Final = MAX_NEEDS * NEED_FEATURES
AT_MOVES: Final = AT_CANDIDATES + MAX_NEEDS * MAX_CANDIDATES * CANDIDATE_FEATURES
AT_DIALOGUE: Final = AT_MOVES + MAX_MOVES * MOVE_FEATURES
AT_TRIP: Final = AT_DIALOGUE + DIALOGUE_FEATURES
OBSERVATION_SIZE: Final = AT_TRIP + TRIP_FEATURES


def bits(x: int) -> int:
    """Return the number of ones of a mask."""
    n = 0
    while x > 0:
        x = x & (x - 1)
        n = n + 1
    return n


def capped(x: float, top: float) -> float:
    """Return ``x / top`` cut at 1."""
    if x >= top:
        return 1.0
    return x / top


def is_rejected(s: Any, i: int, p: int) -> int:
    """Return 1 when product ``p`` was turned down for mentioned need ``i``."""
    for k in range(s.h_n_rejected[i]):
        if s.h_rejected[i * MAX_REJECTED + k] == p:
            return 1
    return 0


def heard_match(w: Any, s: Any, i: int, p: int, n: int) -> float:
    """Return the share of the heard wishes (attributes, ``n`` of them) that ``p`` fulfils; 1 without any."""
    if n == 0:
        return 1.0
    return bits(s.h_wanted[i] & w.prod[p].attrs) / n


def heard_hard_ok(w: Any, s: Any, i: int, p: int) -> int:
    """Return 1 when ``p`` breaks no heard allergy or diet."""
    prod = w.prod[p]
    if (prod.allergens & s.h_allergy[i]) != 0:
        return 0
    return 1 if (prod.diets & s.h_diet[i]) == s.h_diet[i] else 0


def heard_score(w: Any, s: Any, i: int, p: int, n: int) -> float:
    """Return how well ``p`` fits what was heard of need ``i``, ``n`` wishes among it; only its order matters."""
    prod = w.prod[p]
    x = heard_match(w, s, i, p, n) + 0.4 * prod.quality - 0.4 * prod.rel_price + 0.1 * prod.popularity
    if s.h_brand[i] >= 0 and prod.brand == s.h_brand[i]:
        x = x + 0.25
    if s.h_size[i] > 0 and prod.size_class != s.h_size[i]:
        x = x - 0.3
    if s.h_limit[i] > 0 and prod.price > s.h_limit[i]:
        x = x - 0.5
    if heard_hard_ok(w, s, i, p) == 0 or is_rejected(s, i, p) == 1:
        x = x - 10.0
    return x  # type: ignore[no-any-return]


def rank_candidates(w: Any, s: Any, i: int) -> None:
    """Fill ``h_candidates`` of need ``i``: the best products of the heard type, ties to the smaller number."""
    first = i * MAX_CANDIDATES
    for k in range(MAX_CANDIDATES):
        s.h_candidates[first + k] = -1
    s.h_stale[i] = 0
    if s.h_type[i] < 0:
        return
    row = w.typ[s.h_type[i]]
    wishes = bits(s.h_wanted[i])
    n = 0
    for p in range(row.first, row.first + row.count):
        if w.prod[p].stock <= 0:
            continue
        x = heard_score(w, s, i, p, wishes)
        j = n
        if n < MAX_CANDIDATES:
            n = n + 1
        elif x > s.sorted_x[n - 1]:
            j = n - 1
        else:
            continue
        while j > 0 and x > s.sorted_x[j - 1]:
            s.sorted_x[j] = s.sorted_x[j - 1]
            s.h_candidates[first + j] = s.h_candidates[first + j - 1]
            j = j - 1
        s.sorted_x[j] = x
        s.h_candidates[first + j] = p


def observe_need(w: Any, s: Any, i: int, x: Any) -> None:
    """Write what is known of mentioned need ``i`` and its candidates."""
    at = i * NEED_FEATURES
    x[at] = 1.0
    x[at + 1] = 1.0 if s.h_type[i] >= 0 else 0.0
    x[at + 2] = 1.0 if s.h_department[i] >= 0 else 0.0
    wishes = bits(s.h_wanted[i])
    x[at + 3] = capped(1.0 * wishes, 3.0)
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
    c = plausible_section(w, s, i)
    if c >= 0:
        x[at + 16] = capped(1.0 * w.way[s.node][c], 10.0)
        x[at + 17] = 1.0 if w.sees[s.node][c] != 0 else 0.0
    if s.h_stale[i] == 1:
        rank_candidates(w, s, i)
    for k in range(MAX_CANDIDATES):
        p = s.h_candidates[i * MAX_CANDIDATES + k]
        if p < 0:
            break
        at = AT_CANDIDATES + (i * MAX_CANDIDATES + k) * CANDIDATE_FEATURES
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
        x[at + 10] = 1.0 * touches(w, s.node, p)


def plausible_section(w: Any, s: Any, i: int) -> int:
    """Return where mentioned need ``i`` is to be had: the accepted product's home, else its type's nearest section."""
    if s.h_accepted[i] >= 0:
        return w.prod[s.h_accepted[i]].section  # type: ignore[no-any-return]
    if s.h_type[i] >= 0:
        return nearest_section_of(w, s.node, s.h_type[i], 0)
    return -1


def observe_moves(w: Any, s: Any, x: Any) -> None:
    """Write, per possible move, how it changes the way to open needs, to the nearest of them and to the checkout."""
    row = w.node[s.node]
    till = nearest_checkout(w, s.node)
    n = row.move_count
    if n > MAX_MOVES:
        n = MAX_MOVES
    for k in range(n):
        to = w.move[row.move_first + k].to
        at = AT_MOVES + k * MOVE_FEATURES
        x[at] = 1.0
        x[at + 3] = 1.0 if w.hops[to][till] < w.hops[s.node][till] else 0.0
    now = 1000000
    nearest = -1
    for i in range(s.h_n):
        if s.h_closed[i] == 1:
            continue
        c = plausible_section(w, s, i)
        if c < 0:
            continue
        way = w.way[s.node][c]
        if way < now:
            now = way
            nearest = c
        for k in range(n):
            if w.way[w.move[row.move_first + k].to][c] < way:
                # Eighths add up without rounding, in floats of either width.
                x[AT_MOVES + k * MOVE_FEATURES + 2] = x[AT_MOVES + k * MOVE_FEATURES + 2] + 1.0 / MAX_NEEDS
    if nearest < 0:
        return
    for k in range(n):
        at = AT_MOVES + k * MOVE_FEATURES
        x[at + 1] = 0.5 + 0.1 * (now - w.way[w.move[row.move_first + k].to][nearest])
        if x[at + 1] < 0.0:
            x[at + 1] = 0.0
        if x[at + 1] > 1.0:
            x[at + 1] = 1.0


def observe_row(w: Any, s: Any, x: Any) -> None:
    """Fill ``x`` (OBSERVATION_SIZE floats, each in [0, 1]) for state ``s``."""
    for k in range(OBSERVATION_SIZE):
        x[k] = 0.0
    for i in range(s.h_n):
        observe_need(w, s, i, x)
    observe_moves(w, s, x)
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


def observe_rows(w: Any, states: Any, rows: Any, n: int) -> None:
    """Fill ``n`` observation rows (entry point); they are float32 arrays for compiled rules, lists for plain ones."""
    for k in range(n):
        observe_row(w, states[k], rows[k])
