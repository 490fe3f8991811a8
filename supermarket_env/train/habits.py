"""Searching the habits of the learned assistant: one after the other, all values on the same trips and luck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from supermarket_env.agents.goods_network import GoodsNetwork
from supermarket_env.agents.learned import Habits, Learned

TURNS_A_TRIP: Final = 23
TRIALS: Final[tuple[tuple[str, tuple[Any, ...]], ...]] = (
    ("hurry_at", (7.0, 9.0, 11.0, 13.0)),
    ("hurried_list", (3, 7)),
    ("hurried_questions", (True,)),
    ("list_length", (8,)),
)
"""Habits that are tried, in this order, against what is kept so far."""
SURE: Final = 1.0
"""Standard errors that a habit must be better by to be kept."""
NEVER: Final = 1000.0
"""Patience that nobody has."""
CALM: Final = Habits()
"""Habits before the search: nothing is ever hurried."""

Note = Callable[[str], None]


class Trial(NamedTuple):
    """One value of a habit against what was kept."""

    habit: str
    value: Any
    gain: float
    error: float
    """Standard error of the gain."""
    steps: int


def search(
    network: GoodsNetwork,
    score: Callable[[Learned, int], tuple[list[float], int]],
    note: Note,
    done: Sequence[Trial] = (),
    keep: Callable[[Trial], None] | None = None,
) -> tuple[Habits, list[Trial]]:
    """Try the habits of :data:`TRIALS` one after the other; returns those kept and how the trials went.

    Args:
        network: Judges the goods.
        score: Plays an assistant on round ``k`` of training trips; returns need satisfaction by trip, and turns.
        note: Told how it goes.
        done: Trials of an earlier, interrupted search: they are not played again.
        keep: Called after each trial.
    """
    habits = CALM
    trials = list(done)
    for number, (habit, values) in enumerate(TRIALS):
        if habit.startswith("hurried") and habits.hurry_at >= NEVER:
            continue  # what it does when it hurries is of no matter
        here = [trial for trial in trials if trial.habit == habit]
        if len(here) < len(values):
            base, base_steps = score(Learned(network=network, habits=habits), number)
            for k, value in enumerate(values[len(here) :]):
                changed = habits.model_copy(update={habit: value})
                found, steps = score(Learned(network=network, habits=changed), number)
                off = np.array(found) - np.array(base)
                error = float(off.std(ddof=1) / np.sqrt(len(off))) if len(off) > 1 else float("inf")
                trial = Trial(habit, value, float(off.mean()), error, steps + (base_steps if k == 0 else 0))
                here.append(trial)
                trials.append(trial)
                note(f"{habit} {value}: {trial.gain:+.4f}, standard error {trial.error:.4f}")
                if keep is not None:
                    keep(trial)
        best = max(here, key=lambda trial: trial.gain)
        if best.gain > SURE * best.error:
            habits = habits.model_copy(update={habit: best.value})
    return habits, trials


def trips_a_trial(steps: int) -> int:
    """Return how many trips each trial may play when all of them take ``steps`` turns; at least 2."""
    played = sum(len(values) + 1 for _, values in TRIALS)
    return max(2, round(steps / (played * TURNS_A_TRIP)))
