"""One flat row per episode: numerators, denominators and counts, from which every figure can be redone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from supermarket_env.events.episode import Episode
from supermarket_env.events.types import FAULT_PARTIES, PAID_REASONS
from supermarket_env.metrics.goals import GoalRecord, record_goals
from supermarket_env.metrics.ranking import list_scores, without_repeats
from supermarket_env.metrics.suggestion import SuggestionCounts, count_suggestions
from supermarket_env.metrics.trace import ShownList, Trace, finite, trace_episode
from supermarket_env.metrics.truth_row import NO_TRUTH, TruthRow, truth_row

SILENT = "silent"
"""Name of the reference agent whose episodes others are paired with."""

WALK_ACTIONS = frozenset({"move"})
TALK_ACTIONS = frozenset({"wait", "inspect", "look"})
TEXT_MISMATCH = "act_text_mismatch"


class PairKey(NamedTuple):
    """What two episodes must share to be compared."""

    user: str | None
    store: str | None
    task_id: str
    trial: int


class RankingScores(NamedTuple):
    """Scores of an episode's lists, 0 for non-purchases; each in [0, 1]."""

    recall: float = 0.0
    recall_capped: float = 0.0
    recall_dedupe_first: float = 0.0
    recall_robust: float = 0.0
    ndcg: float = 0.0
    ndcg_dedupe_first: float = 0.0
    ndcg_robust: float = 0.0


@dataclass(slots=True)
class EpisodeRow:
    """What one episode adds to the figures."""

    episode_id: str
    agent: str
    user: str | None
    store: str | None
    task_id: str | None
    trial: int
    stratum: str | None
    infra: bool
    reason: str
    success: bool
    paid: bool
    turns: int
    first_add: int | None
    cart_size: int
    """Distinct products in the final cart."""
    n_lists: int
    n_lists_with_repeats: int
    """Lists that show a product twice; the repeat uses up a place."""
    ranking: RankingScores
    accepted_lists: int
    suggestions: SuggestionCounts
    goals: GoalRecord
    sightings: Mapping[str, tuple[int, ...]] | None
    """Observation steps by id in view; kept for the reference agent only."""
    ratings: tuple[tuple[str, str, int | None], ...]
    faults: tuple[int, ...]
    text_mismatches: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    action_counts: Mapping[str, int]
    talk_turns: int
    walking_turns: int
    n_claims: int
    false_claims: int
    questions: int
    """Questions about a named need and attribute; ``asked`` counts all."""
    asked: int
    redundant_questions: int
    walked_m: float | None
    tour_m: float | None
    truth: TruthRow

    @property
    def pair_key(self) -> PairKey | None:
        """Key of the paired comparison, None when the task is not known."""
        return None if self.task_id is None else PairKey(self.user, self.store, self.task_id, self.trial)


def _ranking(trace: Trace, bought: frozenset[str]) -> RankingScores:
    """Mean over the lists of a purchase; every field 0 without lists."""
    if not trace.lists or not bought:
        return RankingScores()
    columns: list[list[float]] = [[], [], [], [], [], [], []]
    for shown in trace.lists:
        for column, score in zip(columns, _list_scores(shown, bought), strict=True):
            if score is not None:
                column.append(score)
    return RankingScores(*(math.fsum(column) / max(1, len(column)) for column in columns))


def _list_scores(shown: ShownList, bought: frozenset[str]) -> tuple[float | None, ...]:
    """Scores of one list in the order of RankingScores; variants that cannot differ are not computed again."""
    items, held = shown.items, shown.cart_before
    recall, capped, ndcg = list_scores(items, bought)
    recall_once, ndcg_once = recall, ndcg
    if len(set(items)) < len(items):
        recall_once, _, ndcg_once = list_scores(without_repeats(items), bought)
    recall_fresh, ndcg_fresh = recall, ndcg
    if held:
        rest = [item for item in items if item not in held]
        recall_fresh, _, ndcg_fresh = list_scores(rest, bought.difference(held))
    return recall, capped, recall_once, recall_fresh, ndcg, ndcg_once, ndcg_fresh


def _accepted_lists(trace: Trace) -> int:
    """Count the lists from which a product of the final cart was added in their turn or later."""
    cart, last = trace.cart, trace.last_add
    if not cart:
        return 0
    return sum(any(item in cart and last[item] >= shown.turn for item in shown.items) for shown in trace.lists)


def _total(trace: Trace, key: str) -> float | None:
    known = [value for event in trace.usage if (value := finite(event.get(key))) is not None]
    return math.fsum(known) if known else None


def _tokens(trace: Trace, key: str) -> int | None:
    total = _total(trace, key)
    return None if total is None else int(total)


def _sightings(trace: Trace) -> dict[str, tuple[int, ...]]:
    steps: dict[str, list[int]] = {}
    for step in sorted(trace.views):
        for name in set(trace.views[step]):
            steps.setdefault(name, []).append(step)
    return {name: tuple(found) for name, found in steps.items()}


def _turns_of(trace: Trace, actions: frozenset[str]) -> int:
    return len({turn for turn, kind in trace.user_actions if turn >= 1 and kind in actions})


def _redundant(trace: Trace) -> int:
    """Count questions asked again after the user answered the same question in an earlier turn."""
    answered: dict[str, int] = {}
    redundant = 0
    for turn, name in trace.questions:
        if name in answered and answered[name] < turn:
            redundant += 1
        if turn in trace.answered_turns:
            answered.setdefault(name, turn)
    return redundant


def _checked_claims(episode: Episode) -> list[dict[str, Any]]:
    """Return the claims that a scorer read out of slots and words, empty without one; they include the logged ones."""
    for label in sorted(episode.values):
        values = episode.values[label]
        details = values.get("details") if type(values) is dict else None
        claims = details.get("claims") if type(details) is dict else None
        if type(claims) is list:
            return [claim for claim in claims if type(claim) is dict]
    return []


def episode_row(episode: Episode, *, tolerance: float = 0.0) -> EpisodeRow:
    """Return the row of one episode.

    Args:
        episode: A valid episode.
        tolerance: Largest difference of numeric navigation parameters that still counts as equal (LNSR).
    """
    trace = trace_episode(episode)
    claims = _checked_claims(episode) or trace.claims
    reason = episode.reason
    bought = frozenset(trace.cart)
    success = bool(bought) and reason not in ("assistant_error", "infra_error")
    end = episode.end
    faults = Counter(who for who, _ in trace.faults)
    truth = episode.truth
    paid = reason in PAID_REASONS
    agent = episode.agent
    return EpisodeRow(
        episode_id=episode.episode_id,
        agent=agent,
        user=episode.user,
        store=episode.store,
        task_id=episode.task_id,
        trial=episode.trial,
        stratum=episode.stratum,
        infra=reason == "infra_error",
        reason=reason,
        success=success,
        paid=paid,
        turns=len(trace.turns),
        first_add=trace.first_add,
        cart_size=len(bought),
        n_lists=len(trace.lists),
        n_lists_with_repeats=sum(len(set(shown.items)) < len(shown.items) for shown in trace.lists),
        ranking=_ranking(trace, bought) if success else RankingScores(),
        accepted_lists=_accepted_lists(trace),
        suggestions=count_suggestions(trace, episode.nav_schema, tolerance),
        goals=record_goals(trace),
        sightings=_sightings(trace) if agent == SILENT else None,
        ratings=tuple(trace.ratings),
        faults=tuple(faults[who] for who in FAULT_PARTIES),
        text_mismatches=sum(kind == TEXT_MISMATCH for _, kind in trace.faults),
        tokens_in=_tokens(trace, "tokens_in"),
        tokens_out=_tokens(trace, "tokens_out"),
        cost=_total(trace, "cost"),
        action_counts=Counter(kind for turn, kind in trace.user_actions if turn >= 1),
        talk_turns=_turns_of(trace, TALK_ACTIONS),
        walking_turns=_turns_of(trace, WALK_ACTIONS),
        n_claims=len(claims),
        false_claims=sum(claim.get("true") is False for claim in claims),
        questions=len(trace.questions),
        asked=len(trace.asked_turns),
        redundant_questions=_redundant(trace),
        walked_m=finite(end.get("walked_m")),
        tour_m=finite(end.get("tour_m")),
        truth=NO_TRUTH if truth is None else truth_row(trace, truth, paid=paid, reason=reason),
    )
