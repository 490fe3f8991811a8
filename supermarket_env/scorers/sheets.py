"""From scorers to the lines of a scores file, and what an error of a scorer becomes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from supermarket_env.errors import LogError
from supermarket_env.events.episode import Episode, Event
from supermarket_env.events.log import canonical
from supermarket_env.scorers.base import Score, Scorer, ScoreSheet, impl_of

DETAIL_LENGTH: Final = 200
UNSCORABLE: Final = frozenset({"infra_error"})
"""Episodes that leave every figure are not scored."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


class Scored(NamedTuple):
    """One line of a scores file and how long it took."""

    line: dict[str, Any]
    seconds: float
    failed: bool


def is_scorable(episode: Episode) -> bool:
    """Whether an episode is scored at all."""
    return episode.reason not in UNSCORABLE


def score_episode(scorer: Scorer, episode: Episode) -> Scored:
    """Return the line a scorer writes for an episode; its errors become a fault of the judge, never of the run.

    Args:
        scorer: Any scorer.
        episode: A finished episode as a reader of the log sees it, without the events of later scorers.
    """
    started = time.perf_counter()
    failed = False
    try:
        line = line_of(scorer, episode, scorer.score(episode))
    except (Exception, SystemExit) as error:
        failed = True
        line = _failure(scorer, episode, error)
    return Scored(line, time.perf_counter() - started, failed)


def line_of(scorer: Scorer, episode: Episode, sheet: ScoreSheet) -> dict[str, Any]:
    """Return the JSON-ready line of a sheet: ``episode_id``, ``events``, ``values``.

    Raises:
        LogError: If a value has no JSON form or is not finite.
    """
    impl = impl_of(scorer)
    values: dict[str, Any] = {"impl": impl, "scores": [score.as_data() for score in sheet.scores]}
    if sheet.details:
        values["details"] = dict(sheet.details)
    cost = sheet.cost
    if cost.calls or cost.tokens_in or cost.tokens_out or cost.money != 0.0:
        values["cost"] = {
            "calls": cost.calls,
            "tokens_in": cost.tokens_in,
            "tokens_out": cost.tokens_out,
            "money": cost.money,
        }
    events = [_judge_event(impl, score) for score in sheet.scores if score.is_rating]
    line = canonical({"episode_id": episode.episode_id, "events": events, "values": values})
    if not isinstance(line, dict):
        raise LogError(f"{impl}: a score line must be an object")
    return line


def _judge_event(impl: str, score: Score) -> Event:
    value = score.value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    event: Event = {"k": "judge", "judge": impl, "dim": score.dim, "score": value}
    if score.rater is not None:
        event["rater"] = score.rater
    return event


def _failure(scorer: Scorer, episode: Episode, error: BaseException) -> dict[str, Any]:
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be shown)"
    detail = _CONTROL.sub(" ", _ADDRESS.sub("0x", f"{type(error).__name__}: {message}"))[:DETAIL_LENGTH]
    turns = [event["turn"] for event in episode.events if type(event.get("turn")) is int]
    impl = impl_of(scorer)
    fault = {
        "k": "fault",
        "turn": max(turns, default=0),
        "who": "judge",
        "kind": "scorer_error",
        "detail": f"{impl}: {detail}",
    }
    return {
        "episode_id": episode.episode_id,
        "events": [fault],
        "values": {"impl": impl, "scores": [], "error": detail},
    }


def values_of(episode: Episode, impl: str) -> Mapping[str, Any]:
    """Return what a scorer said of an episode that was read with its scores; empty when it was not scored."""
    values = episode.values.get(impl)
    return values if isinstance(values, dict) else {}


def value_in(values: Mapping[str, Any], dim: str) -> float | None:
    """Return the number of a dimension in a scorer's values (mean over raters), None when unscored."""
    found: Iterable[Any] = (s.get("value") for s in values.get("scores") or () if s.get("dim") == dim)
    numbers = [v for v in found if isinstance(v, int | float) and not isinstance(v, bool)]
    return sum(numbers) / len(numbers) if numbers else None
