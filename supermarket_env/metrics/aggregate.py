"""From rows to the output object: figures, curves, counts, under their public names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from supermarket_env.errors import ConfigError
from supermarket_env.events.episode import Episode
from supermarket_env.events.types import FAULT_PARTIES
from supermarket_env.events.validate import validate_episode
from supermarket_env.metrics.figures import DEFAULT_HORIZONS, all_curves, all_figures
from supermarket_env.metrics.goals import END, kaplan_meier_goals
from supermarket_env.metrics.judge import judge_by_summary, judge_summary
from supermarket_env.metrics.pairing import Partners, partners_of, uplift_figure
from supermarket_env.metrics.row import EpisodeRow, episode_row
from supermarket_env.metrics.segments import (
    cart_size_recall,
    persona_satisfaction,
    worst_persona_segment,
    worst_segment,
)
from supermarket_env.metrics.survival import kaplan_meier

Values = Mapping[tuple[str, ...], float | None]

_BEYOND = (
    "need_satisfaction",
    "NS_cart",
    "NS_uplift",
    "SR_complete",
    "SR_complete(t)",
    "patience_checkout_rate",
    "regret",
    "hard_violations",
    "need_hit@5",
    "need_regret@5",
    "R@5_by_cart_size",
    "AFR_lift",
    "LNSR_lift",
    "followed_per_turn",
    "hint_progress",
    "CGV_by_distance",
    "CGV_macro",
    "CGV_relevant",
    "CGV_efficiency",
    "CGV_reference",
    "elicited",
    "elicited(t)",
    "reveals_per_question",
    "candidate_bits",
    "redundant_questions",
    "too_early_rate",
    "SPL",
    "path_ratio",
    "talk_turns",
    "walking_turns",
    "walked_extra",
    "acceptance_rate",
    "budget_overrun",
    "budget_overrun_share",
    "unplanned_spend",
    "unplanned_spend_extra",
    "groundedness_errors",
)


def check_horizons(horizons: Iterable[int]) -> tuple[int, ...]:
    """Return the horizons, each once, in the order given.

    Raises:
        ConfigError: If one is not a whole number of 0 or more.
    """
    result: list[int] = []
    for horizon in horizons:
        if type(horizon) is not int or horizon < 0:
            raise ConfigError(f"horizons must be whole numbers of 0 or more, got {horizon!r}")
        if horizon not in result:
            result.append(horizon)
    return tuple(result)


def rows_of(episodes: Iterable[Episode | Mapping[str, Any]], *, tolerance: float = 0.0) -> list[EpisodeRow]:
    """Return one row per episode; decoded lines are checked first.

    Raises:
        LogError: If a decoded line breaks the contract of the log.
    """
    return [
        episode_row(e if isinstance(e, Episode) else validate_episode(dict(e), line=number), tolerance=tolerance)
        for number, e in enumerate(episodes, start=1)
    ]


def compute(
    episodes: Iterable[Episode | Mapping[str, Any]],
    *,
    horizons: Iterable[int] = DEFAULT_HORIZONS,
    tolerance: float = 0.0,
) -> dict[str, Any]:
    """Compute every figure of the evaluation from episodes.

    Args:
        episodes: Episodes as read from a log, or decoded lines; may be empty.
        horizons: Offsets h at which the goal figures are given; the end of the episode is added as ``"End"``.
        tolerance: Largest difference of numeric navigation parameters that still counts as equal (LNSR).

    Returns:
        The output object (docs/metrics.md): percentages for the success rates, fractions in [0, 1] elsewhere, None
        for what is undefined. Depends on the set of episodes, not on their order.

    Raises:
        LogError: If a decoded line breaks the contract of the log.
        ConfigError: If a horizon is not a whole number of 0 or more.
    """
    return aggregate(rows_of(episodes, tolerance=tolerance), horizons=horizons)


def aggregate(
    rows: Sequence[EpisodeRow],
    *,
    horizons: Iterable[int] = DEFAULT_HORIZONS,
    index: Partners | None = None,
) -> dict[str, Any]:
    """Aggregate rows into the output object of :func:`compute`.

    Args:
        rows: Rows of the episodes; simulator failures are set aside here.
        horizons: Offsets h of the goal figures.
        index: Episodes of the reference agent, taken from ``rows`` when not given.
    """
    steps = check_horizons(horizons)
    counted = [row for row in rows if not row.infra]
    index = partners_of(counted) if index is None else index
    values = {figure.name: figure.value() for figure in all_figures(counted, index, steps)}
    curves = {curve.name: curve.values() for curve in all_curves(counted)}
    result: dict[str, Any] = {"n": len(counted), "n_infra": len(rows) - len(counted)}
    result |= {name: values[name,] for name in ("SR",)}
    result |= {name: curves[name] for name in ("SR(t)", "first_add(t)")}
    result["checkout_rate"] = values["checkout_rate",]
    result["1-KM(t)"] = _kaplan_meier(counted)
    result |= {name: values[name,] for name in ("Turn", "Turn_success", "Turn_failure")}
    result |= _ranking_part(counted, values)
    result |= _suggestion_part(counted, values)
    result |= _goal_part(counted, values, steps)
    result["judge"] = judge_summary(counted)
    result["judge_by"] = judge_by_summary(counted)
    result["faults"] = {who: sum(row.faults[i] for row in counted) for i, who in enumerate(FAULT_PARTIES)}
    result["beyond"] = _beyond_part(counted, values, curves, index)
    return result


def _kaplan_meier(rows: Sequence[EpisodeRow]) -> list[float] | None:
    """Purchases as events, all other endings as censored (an answer to "what if nobody quit")."""
    return kaplan_meier([row.turns for row in rows], [row.success for row in rows]) if rows else None


def _ranking_part(rows: Sequence[EpisodeRow], values: Values) -> dict[str, Any]:
    part: dict[str, Any] = {name[0]: value for name, value in values.items() if name[0].startswith(("R@5", "NDCG@10"))}
    part["n_purchase_without_list"] = sum(row.success and not row.n_lists for row in rows)
    part["n_lists"] = sum(row.n_lists for row in rows)
    part["n_lists_with_repeats"] = sum(row.n_lists_with_repeats for row in rows)
    return part


def _suggestion_part(rows: Sequence[EpisodeRow], values: Values) -> dict[str, Any]:
    valid = [row.suggestions.valid for row in rows if row.suggestions.valid]
    return {
        "AFR": values["AFR",],
        "AFR_micro": values["AFR_micro",],
        "AFR_majority": values["AFR_majority",],
        "n_E_V": len(valid),
        "mean_V": sum(valid) / len(valid) if valid else None,
        "illegal_rate": values["illegal_rate",],
        "unanswered": sum(row.suggestions.unanswered for row in rows),
        "LNSR": values["LNSR",],
        "LNSR_micro": values["LNSR_micro",],
        "LNSR_nav_nav": values["LNSR_nav_nav",],
        "n_E_D": sum(row.suggestions.local > 0 for row in rows),
        "n_dropped_uncomparable": sum(row.suggestions.dropped for row in rows),
    }


def _goal_part(rows: Sequence[EpisodeRow], values: Values, horizons: Sequence[int]) -> dict[str, Any]:
    steps: list[int | str] = [*horizons, END]
    part: dict[str, Any] = {name: _nested(name, values) for name in ("CGV", "CGV_count", "CGV_complete")}
    counted = [goal for row in rows for goal in row.goals.counted]
    part["CGV_km"] = kaplan_meier_goals(counted, steps)
    part["n_goals"] = len(counted)
    part["n_goals_unobserved"] = {
        str(h): sum(goal.seen is None and goal.follow < h for goal in counted) for h in horizons
    }
    part["n_goals_excluded"] = {
        "already_visible": sum(len(row.goals.goals) - len(row.goals.counted) for row in rows),
        "unresolvable": sum(row.goals.unresolvable for row in rows),
        "repeated": sum(row.goals.repeated for row in rows),
    }
    return part


def _nested(name: str, values: Values) -> dict[str, Any]:
    """Collect the figures below one name into an object."""
    result: dict[str, Any] = {}
    for path, value in values.items():
        if path[0] != name or len(path) == 1:
            continue
        place = result
        for step in path[1:-1]:
            place = place.setdefault(step, {})
        place[path[-1]] = value
    return result


def _beyond_part(
    rows: Sequence[EpisodeRow], values: Values, curves: Mapping[str, list[float] | None], index: Partners
) -> dict[str, Any]:
    part: dict[str, Any] = {}
    for name in _BEYOND:
        if name in curves:
            part[name] = curves[name]
        elif name == "R@5_by_cart_size":
            part[name] = cart_size_recall(rows)
        else:
            part[name] = values[name,] if (name,) in values else _nested(name, values)
    part["act_text_mismatch"] = sum(row.text_mismatches for row in rows)
    part["cost"] = _sum_known(row.cost for row in rows)
    part["tokens_in"] = _sum_known(row.tokens_in for row in rows)
    part["tokens_out"] = _sum_known(row.tokens_out for row in rows)
    part["worst_segment"] = worst_segment(rows)
    part["need_satisfaction_by_persona"] = persona_satisfaction(rows)
    part["worst_persona_segment"] = worst_persona_segment(rows)
    paired, dropped = uplift_figure(rows, index)[1]
    part["n_paired"], part["n_unpaired"] = paired, dropped
    part["n_without_satisfaction"] = sum(row.truth.need_satisfaction is None for row in rows)
    part["n_need_regret_skipped"] = sum(row.truth.regret_skipped for row in rows)
    return part


def _sum_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None
