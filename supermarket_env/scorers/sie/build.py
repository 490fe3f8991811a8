"""The stratified test set: a random sample of real logs by kind of message, with traps beside it; its rotation."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.sie.items import STRATA, Item, ItemSet

PER_STRATUM: Final = 30
"""Items a stratum needs for a publishable run (150 in all)."""

VIABLE_PER_STRATUM: Final = 24
"""Items a stratum needs in the smallest usable set (120 in all), which allows no statement about one stratum."""

ROTATED_SHARE: Final = 0.2
"""Share of each stratum exchanged a month."""

CYCLE_DAYS: Final = 14
"""Days between two scoring cycles."""

RETEST_HOURS: Final = 48
"""Hours within which a change of the prompt meant for naturalness or empathy is tested again."""

Status = Literal["publishable", "minimum_viable", "too_small"]


def draw_key(seed: int, purpose: str, *parts: object) -> int:
    """Return a 64-bit number that depends on nothing but its arguments; sorting by it shuffles.

    Args:
        seed: Seed of the whole affair.
        purpose: What the draw is for, so that draws for different ends are independent.
        parts: What is drawn.
    """
    text = "\x1f".join([str(seed), purpose, *map(str, parts)])
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def set_status(items: Iterable[Item]) -> Status:
    """Return what a set allows: ``publishable`` from 30 items in every stratum, ``minimum_viable`` from 24.

    Traps do not count.
    """
    counts = Counter(item.stratum for item in items if not item.trap)
    least = min((counts[stratum] for stratum in STRATA), default=0)
    if least >= PER_STRATUM:
        return "publishable"
    return "minimum_viable" if least >= VIABLE_PER_STRATUM else "too_small"


def build_set(
    candidates: Sequence[Item],
    *,
    traps: Sequence[Item] = (),
    per_stratum: int = PER_STRATUM,
    seed: int = 0,
    allow_small: bool = False,
) -> ItemSet:
    """Draw a stratified random test set.

    Args:
        candidates: Items from logs; those marked as traps are not drawn (they come with ``traps`` or stay out).
        traps: Trap items, all taken, reported apart.
        per_stratum: Items of each stratum.
        seed: Seed of the draw.
        allow_small: Accept strata with fewer candidates; the set is then marked ``too_small``.

    Returns:
        The set, items ordered by stratum and draw.

    Raises:
        ConfigError: If a stratum has too few candidates, or fewer than 24 are asked for, without ``allow_small``.
    """
    if per_stratum < VIABLE_PER_STRATUM and not allow_small:
        raise ConfigError(
            f"expected at least {VIABLE_PER_STRATUM} items a stratum ({PER_STRATUM} to publish), got {per_stratum}; "
            "allow small sets for trials only"
        )
    chosen: list[Item] = []
    short = {}
    for stratum in STRATA:
        pool = [item for item in candidates if item.stratum == stratum and not item.trap]
        pool.sort(key=lambda item: (draw_key(seed, "build", item.id), item.id))
        if len(pool) < per_stratum:
            short[stratum] = len(pool)
        chosen += pool[:per_stratum]
    if short and not allow_small:
        found = ", ".join(f"{name} {count}" for name, count in short.items())
        raise ConfigError(f"too few candidates for {per_stratum} items a stratum: {found}; add logs")
    taken = {item.id for item in chosen}
    extra = [item if item.trap else item.model_copy(update={"trap": True}) for item in traps if item.id not in taken]
    return ItemSet(status=set_status(chosen), seed=seed, items=(*chosen, *extra))


class Rotation(NamedTuple):
    """A rotated set and what changed."""

    items: ItemSet
    added: list[str]
    retired: list[str]


def rotate_set(items: ItemSet, candidates: Sequence[Item], *, seed: int = 0, share: float = ROTATED_SHARE) -> Rotation:
    """Exchange a share of every stratum for fresh items; traps stay.

    Args:
        items: The set.
        candidates: Items to draw from; those in the set, or once in it, are passed over.
        seed: Seed of the draw.
        share: Share exchanged, rounded to the nearest whole number in each stratum (24 of 120, 30 of 150).

    Raises:
        ConfigError: If the share is not in (0, 1) or a stratum has too few fresh candidates.
    """
    if not 0.0 < share < 1.0:
        raise ConfigError(f"expected a share in (0, 1), got {share!r}")
    cycle = items.cycle + 1
    used = {item.id for item in items.items} | set(items.retired)
    kept: list[Item] = []
    added: list[str] = []
    retired: list[str] = []
    for stratum, count in _exchanges(items, share).items():
        old = [item for item in items.items if item.stratum == stratum and not item.trap]
        leaving = sorted(old, key=lambda item: (draw_key(seed, "retire", cycle, item.id), item.id))[:count]
        gone = {item.id for item in leaving}
        fresh = [c for c in candidates if c.stratum == stratum and not c.trap and c.id not in used]
        fresh.sort(key=lambda item: (draw_key(seed, "add", cycle, item.id), item.id))
        if len(fresh) < count:
            raise ConfigError(f"too few fresh candidates of {stratum}: expected {count}, got {len(fresh)}; add logs")
        kept += [item for item in old if item.id not in gone] + fresh[:count]
        added += [item.id for item in fresh[:count]]
        retired += sorted(gone)
    traps = [item for item in items.items if item.trap]
    made = items.model_copy(
        update={
            "items": (*kept, *traps),
            "cycle": cycle,
            "retired": (*items.retired, *retired),
            "status": set_status(kept),
        }
    )
    return Rotation(made, added, retired)


def _exchanges(items: ItemSet, share: float) -> Mapping[str, int]:
    """How many items of each stratum leave: the set's share as a whole, dealt to the strata by largest remainder."""
    sizes = {s: sum(item.stratum == s and not item.trap for item in items.items) for s in STRATA}
    total = int(share * sum(sizes.values()) + 0.5)
    counts = {stratum: int(share * size) for stratum, size in sizes.items()}
    rest = sorted(STRATA, key=lambda s: (-(share * sizes[s] - counts[s]), STRATA.index(s)))
    for stratum in rest[: max(0, total - sum(counts.values()))]:
        counts[stratum] += 1
    return counts
