"""How a user speaks at the moment: what of persona and mood colours the words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WARM: Final = 0
PLAIN: Final = 1
SHARP: Final = 2
ANGRY: Final = 3


@dataclass(frozen=True, slots=True)
class Manner:
    """What colours a sentence; it never changes what is said."""

    talkativeness: float = 0.5
    """0 (bare words) to 1 (openers, fillers and polite endings nearly always)."""
    temper: float = 0.5
    """0 (mild even when annoyed) to 1 (gets loud)."""
    mood: int = 0
    """-2 (furious), -1 (annoyed), 0, 1 (pleased), 2 (delighted); see :func:`mood_of`."""
    hurried: bool = False
    """Whether the user is short of time."""
    end: str = ""
    """For ``bye``: how the trip ends (``codes.ENDS``); empty when it is not to be said."""

    @property
    def tone(self) -> int:
        """Return 0 warm, 1 plain, 2 sharp or 3 angry."""
        if self.mood > 0:
            return WARM
        if self.mood == 0:
            return PLAIN
        return ANGRY if self.mood <= -2 and self.temper >= 0.4 else SHARP


def mood_of(trust: float, irritation: float) -> int:
    """Return the mood -2..2 from trust and irritation, both 0..1 (values outside are cut).

    Irritation decides: from 0.33 on a user is annoyed, from 0.66 on furious. A calm user (below 0.1) is pleased from
    trust 0.65 on and delighted from 0.85 on.

    >>> [mood_of(0.5, 0.9), mood_of(0.9, 0.5), mood_of(0.5, 0.0), mood_of(0.7, 0.0), mood_of(0.9, 0.0)]
    [-2, -1, 0, 1, 2]
    """
    if irritation >= 0.66:
        return -2
    if irritation >= 0.33:
        return -1
    if irritation >= 0.1 or trust < 0.65:
        return 0
    return 2 if trust >= 0.85 else 1
