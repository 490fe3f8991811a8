"""Examples with numbers worked out by hand, one per rule that a short log can show."""

from __future__ import annotations

import math
from typing import Any

import pytest

from supermarket_env.events.validate import validate_episode
from supermarket_env.metrics import compute, episode_row, grouped
from supermarket_env.metrics.figure import Curve

Event = dict[str, Any]


def line(*events: Event, end: str = "checkout", eid: str = "e", agent: str = "A", **more: Any) -> dict[str, Any]:
    ending = {"k": "end", "reason": end} if isinstance(end, str) else end
    return {
        "schema": "supermarket.episode/1",
        "episode_id": eid,
        "agent": agent,
        "events": [*events, ending],
        **more,
    }


def talk(*turns: int) -> list[Event]:
    return [{"k": "assistant", "turn": turn} for turn in turns]


def add(sku: str, turn: int = 1, **more: Any) -> Event:
    return {"k": "cart", "turn": turn, "op": "add", "sku": sku, **more}


def suggest(turn: int, kind: str, legal: bool = True, **params: Any) -> Event:
    return {"k": "suggest", "turn": turn, "action": {"type": kind, "params": params}, "legal": legal}


def act(turn: int, kind: str, legal: bool = True, **params: Any) -> Event:
    return {"k": "user", "turn": turn, "action": {"type": kind, "params": params}, "legal": legal}


def shown(turn: int, *items: str) -> Event:
    return {"k": "recommend", "turn": turn, "items": list(items)}


def goal(turn: int, target: str, **more: Any) -> Event:
    return {"k": "goal", "turn": turn, "target": target, **more}


def obs(step: int, *visible: str) -> Event:
    return {"k": "obs", "step": step, "visible": list(visible)}


def near(value: Any, expected: float) -> None:
    assert value == pytest.approx(expected, abs=1e-6)


def test_sr_at_the_turn_limit_counts_and_infra_errors_leave() -> None:
    out = compute(
        [
            line(*talk(1), add("a"), eid="1"),
            line(*talk(1, 2, 3, 4, 5, 6), add("a", 2), eid="2", end="max_turns"),
            line(*talk(1, 2), eid="3", end="quit"),
            line(*talk(1), add("a"), eid="4", end="infra_error"),
        ]
    )
    assert (out["n"], out["n_infra"]) == (3, 1)
    near(out["SR"], 200 / 3)
    near(out["SR(t)"][1], 100 / 3)
    near(out["SR(t)"][5], 100 / 3)
    near(out["SR(t)"][6], 200 / 3)
    near(out["checkout_rate"], 100 / 3)


def test_sr_reads_quantities_and_clear() -> None:
    one = [add("a", qty=2), {"k": "cart", "turn": 1, "op": "remove", "sku": "a", "qty": 1}]
    out = compute([line(*talk(1), *one, eid="1"), line(*talk(1), add("a"), {"k": "cart", "turn": 1, "op": "clear"})])
    near(out["SR"], 50.0)


def test_assistant_error_is_a_failure_whatever_is_in_the_cart() -> None:
    out = compute([line(*talk(1), shown(1, "a"), add("a"), end="assistant_error")])
    assert (out["n"], out["SR"], out["R@5"], out["checkout_rate"]) == (1, 0.0, 0.0, 0.0)


def test_turns_are_a_set() -> None:
    out = compute([line(*talk(1, 2, 2, 4), eid="1"), line(*talk(1, 2, 3, 4, 5), eid="2")])
    near(out["Turn"], 4.0)
    assert episode_row(validate_episode(line(*talk(1, 2, 2, 4)))).turns == 3


REC_1 = (
    *talk(1, 2, 3),
    shown(1, "a", "x", "c", "y", "w"),
    add("a", 1),
    shown(2, "x", "y", "z", "w", "v", "c"),
    add("c", 3),
)


def test_lists_of_non_purchases_and_purchases_without_lists_score_zero() -> None:
    out = compute(
        [
            line(*REC_1, eid="1"),
            line(*talk(1), shown(1, "a"), end="left", eid="2"),
            line(*talk(1), add("a"), eid="3"),
        ]
    )
    near(out["R@5"], 1 / 6)
    near(out["NDCG@10"], 0.5690641129831758 / 3)
    near(out["R@5_given_purchase_and_list"], 0.5)
    assert (out["n_purchase_without_list"], out["n_lists"]) == (1, 3)


def test_lists_of_a_turn_are_joined_and_empty_ones_are_none() -> None:
    out = compute([line(*talk(1, 2), shown(1, "x"), shown(1, "a"), shown(2), add("a"))])
    near(out["R@5"], 1.0)
    near(out["NDCG@10"], 0.630930)
    assert out["n_lists"] == 1


def test_robust_variant_cuts_after_removing_what_is_held() -> None:
    held = [add(p, 1) for p in "abcde"]
    out = compute([line(*talk(1, 2), *held, shown(2, "a", "b", "c", "d", "e", "f"), add("f", 2))])
    near(out["R@5_not_already_in_cart"], 1.0)
    near(out["R@5"], 5 / 6)
    only_held = compute([line(*talk(1, 2), add("a", 1), shown(2, "a"))])
    assert only_held["R@5_not_already_in_cart"] == 0.0


def test_afr_leaves_out_unanswered_and_counts_leaving_as_an_action() -> None:
    out = compute(
        [line(*talk(1, 2), suggest(1, "move", node="n"), act(1, "leave"), suggest(2, "move", node="n"), end="left")]
    )
    assert (out["AFR"], out["unanswered"], out["n_E_V"]) == (0.0, 1, 1)


def test_illegal_user_action_is_a_mismatch() -> None:
    out = compute([line(suggest(1, "move", node="n"), act(1, "move", legal=False, node="n"))])
    assert (out["AFR"], out["LNSR"], out["n_E_D"]) == (0.0, 0.0, 1)


def test_lnsr_drops_what_the_log_does_not_hold() -> None:
    events = (suggest(1, "move", node="n"), act(1, "move", node="n"), suggest(2, "move", node="n"), act(2, "move"))
    out = compute([line(*events)])
    assert (out["LNSR"], out["n_dropped_uncomparable"], out["AFR"]) == (1.0, 1, 1.0)
    row = episode_row(validate_episode(line(*events))).suggestions
    assert row.local_followed / (row.local + row.dropped) == 0.5


def test_lnsr_keeps_other_types_unless_both_must_navigate() -> None:
    out = compute(
        [line(suggest(1, "move", node="n"), act(1, "move", node="n"), suggest(2, "move", node="m"), act(2, "wait"))]
    )
    assert (out["LNSR"], out["LNSR_nav_nav"]) == (0.5, 1.0)


def test_lnsr_needs_a_local_slot() -> None:
    out = compute([line(suggest(1, "move"), act(1, "move", node="n"), suggest(2, "move", goal="x"), act(2, "wait"))])
    assert (out["LNSR"], out["n_E_D"], out["AFR"]) == (None, 0, 0.5)


def test_cgv_censoring_three_ways() -> None:
    """Three goals: one seen at s = 3, two whose episode ended before s = 4, one of them after s = 4 unseen."""
    out = compute(
        [
            line(obs(0), goal(1, "X"), obs(1), obs(2), obs(3, "X"), obs(4), eid="1", end="left"),
            line(obs(0), goal(1, "Y"), obs(1), obs(2), eid="2", end="left"),
            line(obs(0), goal(1, "Z"), obs(1), obs(2), obs(3), obs(4), eid="3", end="left"),
        ],
        horizons=(4,),
    )
    near(out["CGV"]["4"], 1 / 3)
    near(out["CGV_complete"]["4"], 0.5)
    near(out["CGV_km"]["4"], 0.5)
    assert out["CGV_complete"]["End"] is None
    assert out["n_goals_unobserved"] == {"4": 1}


def test_cgv_repeated_target_keeps_its_first_clock() -> None:
    views = (obs(0), obs(1), obs(2), obs(3, "X"))
    out = compute([line(*views, goal(1, "X"), goal(2, "X"), goal(1, "Y"), end="left")], horizons=(2, 3))
    assert out["CGV"] == {"2": 0.0, "3": 0.5, "End": 0.5}
    assert out["n_goals_excluded"] == {"already_visible": 0, "unresolvable": 0, "repeated": 1}


def test_cgv_first_issue_decides_even_if_already_visible() -> None:
    views = (obs(0, "X"), obs(1), obs(2, "X"))
    out = compute([line(*views, goal(1, "X"), goal(2, "X"), goal(2, "X", eligible=False), end="left")])
    assert out["n_goals"] == 0
    assert out["n_goals_excluded"] == {"already_visible": 1, "unresolvable": 1, "repeated": 1}
    assert out["CGV_count"]["0"] == 1.0


def rate(score: Any, dim: str = "naturalness", judge: str = "m") -> Event:
    return {"k": "judge", "judge": judge, "dim": dim, "score": score}


def test_scores_that_are_no_rating_are_excluded() -> None:
    scores: list[Any] = [6, 2, None, 3.5]
    out = compute([line(*talk(1), rate(s), eid=str(i)) for i, s in enumerate(scores)])
    judged = out["judge"]["naturalness"]
    assert (judged["mean"], judged["coverage"], judged["excluded"]) == (2.0, 0.25, 3)
    near(judged["worst_case"], (2 + 3) / 4)
    assert out["judge"]["groundedness"]["mean"] is None
    assert compute([line(rate(float("nan")), rate(True))])["judge"]["naturalness"]["n"] == 0


def test_judges_apart() -> None:
    out = compute([line(rate(5, judge="m"), rate(2, judge="n"))])
    assert out["judge"]["naturalness"]["mean"] == 3.5
    assert out["judge_by"]["n"]["naturalness"]["mean"] == 2.0


NEEDS: dict[str, Any] = {
    "needs": [
        {"id": "0", "qty": 1, "weight": 1.0, "outside": 0.1, "attributes": ["type", "brand"]},
        {"id": "1", "qty": 2, "weight": 2.0, "outside": 0.2, "attributes": ["type", "size"]},
    ],
    "acceptable": {"0": ["milk"], "1": ["bread"]},
    "utility": {"0": {"milk": 0.6, "nutmilk": 0.8}, "1": {"bread": 0.6, "cake": 0.3}},
    "U_star": 1.3,
    "violates": {"nutmilk": ["nuts"]},
}


def satisfied(*events: Event, end: str = "checkout") -> dict[str, Any]:
    beyond: dict[str, Any] = compute([line(*talk(1), *events, end=end, truth=NEEDS)])["beyond"]
    return beyond


def test_need_satisfaction_of_half_a_need() -> None:
    out = satisfied(add("milk"), add("bread"))
    near(out["need_satisfaction"], 0.692308)
    near(out["regret"], 1.3 - 0.9)
    assert (out["SR_complete"], out["hard_violations"]) == (0.0, 0.0)


def test_need_satisfaction_without_paying() -> None:
    out = satisfied(add("milk"), add("bread"), end="left")
    assert out["need_satisfaction"] == 0.0
    near(out["NS_cart"], 0.692308)
    near(out["regret"], 1.3)
    assert satisfied(add("milk"), end="assistant_error")["NS_cart"] == 0.0


def test_need_satisfaction_with_a_violation() -> None:
    out = satisfied(add("nutmilk"), add("bread", qty=2))
    near(out["need_satisfaction"], 0.615385)
    assert (out["hard_violations"], out["SR_complete"]) == (1.0, 0.0)


def test_complete_cart() -> None:
    out = satisfied(add("milk"), add("bread", qty=3), end="patience_checkout")
    near(out["need_satisfaction"], 1.0)
    assert (out["SR_complete"], out["SR_complete(t)"], out["patience_checkout_rate"]) == (100.0, [0.0, 100.0], 100.0)


def test_one_unit_serves_one_need() -> None:
    truth = {**NEEDS, "acceptable": {"0": ["milk"], "1": ["milk"]}}
    truth["utility"] = {"0": {"milk": 0.6}, "1": {"milk": 0.6}}
    paid = [line(*talk(1), add("milk", qty=q), truth=truth, eid=str(q)) for q in (1, 2, 3)]
    values = [compute([one])["beyond"]["need_satisfaction"] for one in paid]
    # Margins .5 x weight 1 and .4 x weight 2 / wanted 2: one unit serves the first need, the others the second.
    assert values == pytest.approx([0.5 / 1.3, 0.9 / 1.3, 1.3 / 1.3])


def test_truth_figures_are_null_without_truth() -> None:
    beyond = compute([line(*talk(1), add("a"))])["beyond"]
    for name in (
        "need_satisfaction",
        "NS_cart",
        "SR_complete",
        "SR_complete(t)",
        "regret",
        "hard_violations",
        "elicited",
    ):
        assert beyond[name] is None, name
    assert beyond["n_without_satisfaction"] == 1


def test_needs_with_nothing_to_gain_are_left_out() -> None:
    beyond = compute([line(*talk(1), add("milk"), truth={**NEEDS, "U_star": 0.0})])["beyond"]
    assert beyond["need_satisfaction"] is None


def test_need_hit_and_regret_look_at_open_needs_only() -> None:
    events = (shown(1, "cake"), shown(2, "milk"), add("milk", 2), shown(3, "milk"), shown(4, "bread"))
    out = satisfied(*talk(2, 3, 4), *events)
    assert out["need_hit@5"] == 0.5
    # cake against bread .3, milk 0, milk again: no utility for the open need, left out; bread 0.
    near(out["need_regret@5"], 0.1)
    assert out["n_need_regret_skipped"] == 1


def pair(agent: str, task: str, paid: bool, trial: int = 0, end: str | None = None) -> dict[str, Any]:
    who: dict[str, Any] = {"user": "u", "store": "s", "task_id": task, "trial": trial, "truth": NEEDS, "agent": agent}
    reason = end or ("checkout" if paid else "left")
    return line(*talk(1), add("milk"), end=reason, eid=f"{agent}|{task}|{trial}", **who)


def test_uplift_averages_trials_first_and_pairs_across_groups() -> None:
    value = 0.5 / 1.3
    episodes = [
        pair("rule", "t1", True, 0),
        pair("rule", "t1", False, 1),
        pair("rule", "t2", True),
        pair("rule", "t3", True),
        pair("rule", "t4", True, end="infra_error"),
        pair("silent", "t1", False, 0),
        pair("silent", "t1", False, 1),
        pair("silent", "t2", True),
        pair("silent", "t4", True),
    ]
    groups = {group["agent"]: group["beyond"] for group in grouped(episodes, ("agent",))["groups"]}
    near(groups["rule"]["NS_uplift"], (value / 2 + 0.0) / 2)
    assert (groups["rule"]["n_paired"], groups["rule"]["n_unpaired"]) == (3, 1)
    assert groups["silent"]["NS_uplift"] is None
    near(compute(episodes)["beyond"]["NS_uplift"], value / 4)


def test_majority_lift_and_progress() -> None:
    def answer(turn: int, kind: str, would: str, node: str = "n") -> Event:
        return {**act(turn, kind, node=node), "would": {"type": would, "params": {"node": "m"}}}

    hints = [{**suggest(t, "move", node="n"), "progress": p} for t, p in ((1, 4.0), (2, -1.0), (3, 0.0))]
    out = compute([line(*hints, answer(1, "move", "wait"), answer(2, "wait", "wait"), answer(3, "move", "move"))])
    near(out["AFR_majority"], 2 / 3)
    near(out["beyond"]["AFR_lift"], 0.5)
    near(out["beyond"]["LNSR_lift"], 2 / 3)
    near(out["beyond"]["hint_progress"], 1.0)


def test_goal_details() -> None:
    views = (obs(0), obs(1, "X"), obs(2), obs(3, "Y"))
    goals = (goal(1, "X", d_min=1, relevant=True), goal(1, "Y", d_min=2), goal(1, "Z", d_min=5, relevant=True))
    out = compute([line(*views, *goals, end="left")], horizons=(1,))["beyond"]
    assert out["CGV_by_distance"]["1"] == {"1": 1.0, "End": 1.0}
    assert out["CGV_by_distance"]["2-3"] == {"1": 0.0, "End": 1.0}
    assert out["CGV_by_distance"]["4+"] == {"1": 0.0, "End": 0.0}
    assert out["CGV_relevant"] == {"1": 0.5, "End": 0.5}
    near(out["CGV_efficiency"], (1 + 2 / 3 + 0) / 3)


def test_goal_reference_reads_the_partners_own_views() -> None:
    who: dict[str, Any] = {"user": "u", "store": "s", "task_id": "t", "trial": 0}
    mine = line(obs(0), goal(1, "X"), goal(2, "Y"), obs(1), obs(2), agent="rule", eid="1", **who)
    other = line(obs(0, "X"), obs(1), obs(2, "X"), obs(3, "Y"), agent="silent", eid="2", **who)
    out = compute([mine, other], horizons=(1, 2))["beyond"]["CGV_reference"]
    assert out == {"1": 0.0, "2": 1.0, "End": 1.0}


def test_path_and_money() -> None:
    truth = {**NEEDS, "tour_m": 50.0, "budget": 4.0}
    end = {"k": "end", "reason": "checkout", "walked_m": 80.0, "tour_m": 40.0}
    events = (*talk(1, 2), shown(1, "milk", "bread"), add("milk", 2, price=3.0), add("bread", 2, price=1.5))
    acts = (act(1, "inspect"), act(2, "add"))
    out = compute([line(*events, *acts, end=end, truth=truth)])["beyond"]  # type: ignore[arg-type]
    near(out["SPL"], 50 / 80)
    near(out["path_ratio"], 2.0)
    near(out["budget_overrun"], 0.5)
    assert (out["budget_overrun_share"], out["talk_turns"], out["acceptance_rate"]) == (1.0, 1.0, 1.0)


def test_budget_needs_prices() -> None:
    truth = {**NEEDS, "budget": 4.0}
    assert compute([line(*talk(1), add("milk"), truth=truth)])["beyond"]["budget_overrun"] is None
    assert compute([line(*talk(1), add("milk"), end="left", truth=truth)])["beyond"]["budget_overrun"] == 0.0


def test_elicitation() -> None:
    told: Event = {"k": "user", "turn": 1, "act": "answer", "reveals": ["0.brand", "0.colour"]}
    asked: list[Event] = [
        {"k": "assistant", "turn": t, "act": "ask", "slots": {"need": "0", "attribute": "brand"}} for t in (1, 2)
    ]
    events = (*asked, told, shown(1, "cake"), shown(2, "cake"))
    out = compute([line(*events, end="left", truth=NEEDS)])["beyond"]
    assert (out["elicited"], out["redundant_questions"], out["too_early_rate"]) == (0.25, 1.0, 0.5)


def test_faults_cost_and_claims() -> None:
    claims = [{"kind": "price", "product": "a", "said": 1, "true": flag} for flag in (True, False, None)]
    events = (
        {"k": "assistant", "turn": 1, "claims": claims},
        {"k": "fault", "turn": 1, "who": "assistant", "kind": "act_text_mismatch"},
        {"k": "usage", "turn": 1, "who": "assistant", "tokens_in": 10, "cost": 0.25},
        {"k": "usage", "turn": 1, "who": "user", "tokens_in": 5, "cost": None},
    )
    out = compute([line(*events)])
    assert out["faults"] == {"assistant": 1, "user": 0, "judge": 0, "infra": 0}
    beyond = out["beyond"]
    assert (beyond["act_text_mismatch"], beyond["cost"], beyond["groundedness_errors"]) == (1, 0.25, 1.0)


def test_no_episodes() -> None:
    out = compute([])
    assert (out["n"], out["SR"], out["SR(t)"], out["1-KM(t)"], out["AFR"], out["CGV"]["1"]) == (0, *[None] * 5)
    assert grouped([], ("agent",)) == {"groups": []}


def test_steps_of_a_curve_by_degrees_add_up_to_each_turn() -> None:
    parts: list[tuple[tuple[int, float], ...]] = [((5, 0.1), (2, 0.2), (2, 0.3)), (), ((0, 0.7),)]
    curve = Curve("some", [None] * 3, [1.0, 1.0, 0.0], 8, parts=parts)
    for t in range(curve.length):
        sums = [math.fsum(amount for turn, amount in part if turn <= t) for part in parts]
        assert curve.reached(t) == [sums[0], sums[1], 0.0]
