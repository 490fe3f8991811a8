"""Which figures there are: every figure of the output as a ratio over rows, or a curve over turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from supermarket_env.metrics.figure import Curve, Figure, mean_figure, pooled_figure, share_figure
from supermarket_env.metrics.goals import END, Goal, seen_within
from supermarket_env.metrics.judge import rating_figures
from supermarket_env.metrics.pairing import Partners, paired_figure, reference_figures, uplift_figure
from supermarket_env.metrics.row import EpisodeRow

DEFAULT_HORIZONS = (0, 1, 2, 3, 5, 10)

Rows = Sequence[EpisodeRow]


def all_figures(rows: Rows, index: Partners, horizons: Sequence[int]) -> list[Figure]:
    """Return every figure that is a ratio of sums.

    Args:
        rows: Rows in N (no simulator failures).
        index: Episodes of the reference agent.
        horizons: Offsets h of the goal figures; ``"End"`` is added.
    """
    steps: list[int | str] = [*horizons, END]
    return [
        *outcome_figures(rows),
        *ranking_figures(rows),
        *suggestion_figures(rows),
        *goal_figures(rows, steps),
        *rating_figures(rows),
        uplift_figure(rows, index)[0],
        paired_figure("unplanned_spend_extra", rows, index, lambda row: row.truth.unplanned_spend)[0],
        paired_figure("walked_extra", rows, index, lambda row: row.walked_m)[0],
        *need_figures(rows),
        *hint_figures(rows),
        *goal_detail_figures(rows, steps),
        *reference_figures(rows, index, steps),
        *path_figures(rows),
    ]


def all_curves(rows: Rows) -> list[Curve]:
    """Return the shares by turn, t = 0 .. longest episode."""
    length = max((row.turns for row in rows), default=-1) + 1
    every = [1.0] * len(rows)
    known = [0.0 if row.truth.complete is None else 1.0 for row in rows]
    return [
        Curve("SR(t)", [row.turns if row.success else None for row in rows], every, length),
        Curve("first_add(t)", [row.first_add if row.success else None for row in rows], every, length, share=False),
        Curve("SR_complete(t)", [row.turns if row.truth.complete else None for row in rows], known, length),
        Curve(
            "elicited(t)",
            [None] * len(rows),
            [0.0 if row.truth.elicited is None else 1.0 for row in rows],
            length,
            scale=1.0,
            share=False,
            parts=[row.truth.elicited_at for row in rows],
        ),
    ]


def bought_at_checkout(row: EpisodeRow) -> bool:
    """Whether an episode is a purchase at the checkout; one that comes there with an empty cart is none."""
    return row.success and row.reason == "checkout"


def outcome_figures(rows: Rows) -> list[Figure]:
    """Purchases and turns."""
    return [
        share_figure("SR", [row.success for row in rows]),
        share_figure("checkout_rate", [bought_at_checkout(row) for row in rows]),
        mean_figure("Turn", [row.turns for row in rows]),
        mean_figure("Turn_success", [row.turns if row.success else None for row in rows]),
        mean_figure("Turn_failure", [None if row.success else row.turns for row in rows]),
    ]


def ranking_figures(rows: Rows) -> list[Figure]:
    """Lists against the final cart: macro over lists, then over all episodes."""
    listed = [row.ranking.recall if row.success and row.n_lists else None for row in rows]
    return [
        mean_figure("R@5", [row.ranking.recall for row in rows]),
        mean_figure("R@5_capped", [row.ranking.recall_capped for row in rows]),
        mean_figure("R@5_dedupe_first", [row.ranking.recall_dedupe_first for row in rows]),
        mean_figure("R@5_not_already_in_cart", [row.ranking.recall_robust for row in rows]),
        mean_figure("R@5_given_purchase_and_list", listed),
        mean_figure("NDCG@10", [row.ranking.ndcg for row in rows]),
        mean_figure("NDCG@10_dedupe_first", [row.ranking.ndcg_dedupe_first for row in rows]),
        mean_figure("NDCG@10_not_already_in_cart", [row.ranking.ndcg_robust for row in rows]),
    ]


def _ratio(top: int, bottom: int) -> float | None:
    return top / bottom if bottom else None


def suggestion_figures(rows: Rows) -> list[Figure]:
    """Suggested actions against executed ones."""
    majority = _majority_figure(rows)
    return [
        mean_figure("AFR", [_ratio(row.suggestions.followed, row.suggestions.valid) for row in rows]),
        pooled_figure("AFR_micro", rows, lambda r: r.suggestions.followed, lambda r: r.suggestions.valid),
        majority,
        pooled_figure("illegal_rate", rows, lambda r: r.suggestions.illegal, lambda r: r.suggestions.first),
        mean_figure("LNSR", [_ratio(row.suggestions.local_followed, row.suggestions.local) for row in rows]),
        pooled_figure("LNSR_micro", rows, lambda r: r.suggestions.local_followed, lambda r: r.suggestions.local),
        mean_figure(
            "LNSR_nav_nav", [_ratio(row.suggestions.local_followed, row.suggestions.local_nav) for row in rows]
        ),
    ]


def _majority_figure(rows: Rows) -> Figure:
    """What always suggesting the most frequent action type would score."""
    kinds = sorted({kind for row in rows for kind in row.action_counts})
    columns = [[float(row.action_counts.get(kind, 0)) for row in rows] for kind in kinds]
    totals = [float(sum(row.action_counts.values())) for row in rows]
    first, *rivals = columns or [[0.0] * len(rows)]
    return Figure(("AFR_majority",), first, totals, rivals=rivals)


def _goal_figure(name: tuple[str, str], pools: Sequence[Sequence[Goal]], horizon: int | str) -> Figure:
    hits = [float(sum(seen_within(goal, horizon) for goal in pool)) for pool in pools]
    return Figure(name, hits, [float(len(pool)) for pool in pools])


def goal_figures(rows: Rows, steps: Sequence[int | str]) -> list[Figure]:
    """Goals that came into view within h observations, pooled over episodes."""
    counted = [row.goals.counted for row in rows]
    every = [row.goals.goals for row in rows]
    figures = [_goal_figure(("CGV", str(h)), counted, h) for h in steps]
    figures += [_goal_figure(("CGV_count", str(h)), every, h) for h in steps]
    for h in steps:
        whole = [() if isinstance(h, str) else tuple(g for g in pool if g.follow >= h) for pool in counted]
        figures.append(_goal_figure(("CGV_complete", str(h)), whole, h))
    return figures


def need_figures(rows: Rows) -> list[Figure]:
    """What the trip was worth to the user, against the truth."""
    share_complete = Figure(
        ("SR_complete",),
        [1.0 if row.truth.complete else 0.0 for row in rows],
        [0.0 if row.truth.complete is None else 1.0 for row in rows],
        100.0,
        share=True,
    )
    overruns = [row.truth.overrun for row in rows]
    return [
        mean_figure("need_satisfaction", [row.truth.need_satisfaction for row in rows]),
        mean_figure("NS_cart", [row.truth.cart_satisfaction for row in rows]),
        share_complete,
        Figure(
            ("patience_checkout_rate",),
            [1.0 if row.success and row.reason == "patience_checkout" else 0.0 for row in rows],
            [1.0] * len(rows),
            100.0,
        ),
        mean_figure("regret", [row.truth.regret for row in rows]),
        mean_figure("hard_violations", [row.truth.hard_violations for row in rows]),
        mean_figure("need_hit@5", [row.truth.need_hit for row in rows]),
        mean_figure("need_regret@5", [row.truth.need_regret for row in rows]),
        mean_figure("elicited", [row.truth.elicited for row in rows]),
        _answers_figure(rows),
        mean_figure("candidate_bits", [row.truth.candidate_bits for row in rows]),
        mean_figure("unplanned_spend", [row.truth.unplanned_spend for row in rows]),
        pooled_figure("too_early_rate", rows, lambda r: r.truth.early_lists, lambda r: r.truth.judged_lists),
        mean_figure("budget_overrun", overruns),
        mean_figure("budget_overrun_share", [None if v is None else float(v > 0) for v in overruns]),
    ]


def _answers_figure(rows: Rows) -> Figure:
    """Attributes learned in turns with a question, per question; episodes without truth are left out."""
    learned = [row.truth.learned_by_asking for row in rows]
    return Figure(
        ("reveals_per_question",),
        [float(count or 0) for count in learned],
        [0.0 if count is None else float(row.asked) for count, row in zip(learned, rows, strict=True)],
    )


def hint_figures(rows: Rows) -> list[Figure]:
    """Whether a hint changed anything, and what it was worth in metres."""
    return [
        pooled_figure("AFR_lift", rows, lambda r: r.suggestions.lift_followed, lambda r: r.suggestions.lift),
        pooled_figure(
            "LNSR_lift", rows, lambda r: r.suggestions.local_lift_followed, lambda r: r.suggestions.local_lift
        ),
        pooled_figure(
            "hint_progress", rows, lambda r: r.suggestions.progress_m, lambda r: r.suggestions.progress_count
        ),
        pooled_figure("followed_per_turn", rows, lambda r: r.suggestions.followed, lambda r: r.turns),
    ]


_DISTANCES: tuple[tuple[str, Callable[[float], bool]], ...] = (
    ("1", lambda d: d < 2),
    ("2-3", lambda d: 2 <= d < 4),
    ("4+", lambda d: d >= 4),
)


def goal_detail_figures(rows: Rows, steps: Sequence[int | str]) -> list[Figure]:
    """Goals by distance, by episode, by relevance, and against the fewest moves possible."""
    counted = [row.goals.counted for row in rows]
    figures = []
    for label, fits in _DISTANCES:
        pools = [[g for g in pool if g.d_min is not None and fits(g.d_min)] for pool in counted]
        figures += [Figure(("CGV_by_distance", label, str(h)), *_hits(pools, h)) for h in steps]
    for h in steps:
        shares = [_ratio(sum(seen_within(goal, h) for goal in pool), len(pool)) for pool in counted]
        figures.append(mean_figure(("CGV_macro", str(h)), shares))
    relevant = [[goal for goal in pool if goal.relevant] for pool in counted]
    figures += [_goal_figure(("CGV_relevant", str(h)), relevant, h) for h in steps]
    known = [[goal for goal in pool if goal.d_min is not None] for pool in counted]
    efficiency = [sum(_efficiency(goal) for goal in pool) for pool in known]
    figures.append(Figure(("CGV_efficiency",), efficiency, [float(len(pool)) for pool in known]))
    return figures


def _hits(pools: Sequence[Sequence[Goal]], horizon: int | str) -> tuple[list[float], list[float]]:
    hits = [float(sum(seen_within(goal, horizon) for goal in pool)) for pool in pools]
    return hits, [float(len(pool)) for pool in pools]


def _efficiency(goal: Goal) -> float:
    """Fewest moves over moves needed; 0 when the target was never seen."""
    if goal.seen is None or goal.d_min is None:
        return 0.0
    return goal.d_min / max(goal.d_min, goal.seen)


def path_figures(rows: Rows) -> list[Figure]:
    """Ways walked, talk, acceptance and claims."""
    asked = any(row.questions for row in rows)
    claimed = any(row.n_claims for row in rows)
    return [
        mean_figure("SPL", [_path_share(row) for row in rows]),
        mean_figure("path_ratio", [_path_ratio(row) for row in rows]),
        mean_figure("talk_turns", [row.talk_turns for row in rows]),
        mean_figure("walking_turns", [row.walking_turns for row in rows]),
        pooled_figure("acceptance_rate", rows, lambda r: r.accepted_lists, lambda r: r.n_lists),
        mean_figure("redundant_questions", [row.redundant_questions if asked else None for row in rows]),
        mean_figure("groundedness_errors", [row.false_claims if claimed else None for row in rows]),
    ]


def _path_share(row: EpisodeRow) -> float | None:
    """Success weighted by the shortest walk of the task over the walk taken; None when lengths are unknown."""
    tour = row.truth.tour_m
    if tour is None:
        return None
    if not row.success:
        return 0.0
    longest = None if row.walked_m is None else max(row.walked_m, tour)
    return None if not longest else tour / longest


def _path_ratio(row: EpisodeRow) -> float | None:
    if not row.success or row.walked_m is None or not row.tour_m:
        return None
    return row.walked_m / row.tour_m
