"""Counter-based randomness: every draw is a hash of (episode seed, purpose, object, n-th occurrence).

There is no stream and no state to advance, so a draw depends on what happens, never on what else was drawn. Integers
only, 32-bit lanes inside 64-bit integers: no product passes 2**63, so plain Python and compiled code give the same
bits. Mixing steps: the "lowbias32" construction (xor-shift, multiply) with published constants.
"""

from __future__ import annotations

from typing import Any

M32 = 0xFFFFFFFF

# Purpose codes: part of the contract. A new purpose takes a new number; old ones never move.
P_FOLLOW = 1
P_TALK_COST = 2
P_KNOWS = 3
P_MAP_ERROR = 4
P_NOTICE = 5
P_SHELF = 6
P_ATTEND = 7
P_IMPULSE = 8
P_IMPULSE_WHAT = 9
P_STOCK = 10
P_STOCK_OUT = 11
P_GIVE_UP_PAYS = 12
P_VOLUNTEER = 13
P_N_FACTS = 14
P_HESITATE = 15
P_COMPARE = 16
P_ASK_PRODUCT = 17
P_COMPLAIN = 18
P_THANK = 19
P_CHAT = 20
P_INSPECT = 21
P_DISCOVER = 22
P_BELIEVE = 23
P_ASK_WHERE = 24
P_WORDS = 25
P_AGENT = 26
P_FINDS_ALONE = 27


def mix(x: int) -> int:
    """Mix the bits of a 32-bit number (a bijection)."""
    x = ((x ^ (x >> 16)) * 0x21F0AAAD) & M32
    x = ((x ^ (x >> 15)) * 0x735A2D97) & M32
    return x ^ (x >> 15)


def lane_of(seed: int, purpose: int) -> int:
    """Return the first half of a lane, which all draws of one purpose share; see ``lane``."""
    x = mix((seed + 0x9E3779B9) & M32)
    return mix(((x + 0x9E3779B9) & M32) ^ purpose)


def drawn_from(start: int, obj: int, n: int) -> int:
    """Return the 32 bits of a lane whose first half is ``start``."""
    x = mix(((start + 0x9E3779B9) & M32) ^ (obj & M32))
    return mix(((x + 0x9E3779B9) & M32) ^ (n & M32))


def lane(seed: int, purpose: int, obj: int, n: int) -> int:
    """Return 32 bits for one key; ``seed``, ``purpose``, ``obj`` and ``n`` are 32-bit numbers."""
    return drawn_from(lane_of(seed, purpose), obj, n)


def joined(a: int, b: int) -> float:
    """Return the number in [0, 1) with 53 bits that two lanes make."""
    return ((a >> 6) * 134217728 + (b >> 5)) / 9007199254740992.0


def uniform(s: Any, purpose: int, obj: int, n: int) -> float:
    """Return the draw in [0, 1) with 53 bits for (episode seed of ``s``, purpose, object, n-th occurrence).

    With ``s.turn_keyed`` set the turn takes the place of ``n`` (kept to measure what event keys are worth).
    """
    if s.turn_keyed != 0:
        n = s.turn
    a = lane(s.seed_lo, purpose, obj, n)
    b = lane(s.seed_hi, purpose, obj, n)
    return joined(a, b)


def bucket(purpose: int, obj: int) -> int:
    """Return the occurrence counter (0..127) that counts events of (purpose, object)."""
    return mix((purpose * 65537 + obj) & M32) & 127


def nth(s: Any, purpose: int, obj: int) -> int:
    """Return how often the event (purpose, object) has been counted in this episode."""
    return s.occurred[bucket(purpose, obj)]  # type: ignore[no-any-return]


def occurs(s: Any, purpose: int, obj: int) -> int:
    """Count one more event (purpose, object) and return how many came before."""
    k = bucket(purpose, obj)
    n: int = s.occurred[k]
    s.occurred[k] = n + 1
    return n


def taste(seed: int, product: int) -> float:
    """Return the fixed idiosyncratic term of one product: about N(0, 1), keyed by (task seed, product).

    The sum of four uniforms on (-1/2, 1/2) scaled to variance 1; its range is +-3.46.
    """
    a = lane(seed, 101, product, 0)
    b = lane(seed, 102, product, 0)
    total = (a & 0xFFFF) + (a >> 16) + (b & 0xFFFF) + (b >> 16)
    return (total / 65536.0 - 2.0) * 1.7320508075688772
