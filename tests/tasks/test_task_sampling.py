"""Sampled tasks: shares of the population, separate types, enough choice, held-out parts, dials, refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

from supermarket_env.catalogue.schema import ATTRIBUTE_BIT
from supermarket_env.errors import TaskError
from supermarket_env.tasks.draws import Draws, seed_of
from supermarket_env.tasks.held_out import HELD_OUT_SHARE, PERSONA_CORNERS, persona_held_out, type_held_out
from supermarket_env.tasks.prepare import prepare
from supermarket_env.tasks.recipes import RECIPES
from supermarket_env.tasks.sample import MAX_OPTIMAL_TURNS, TRIP_NEEDS, TRIP_SHARES, Dials, sample_task
from supermarket_env.tasks.suites import load_suite, make_task, train_task, world_of
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.persona import TRAIT_TABLE
from supermarket_env.world import World

N = 400
USER = UserConfig()


def home() -> World:
    return world_of("embedded", "neighbourhood")


@cache
def population() -> tuple[Task, ...]:
    return tuple(sample_task(home(), seed=seed_of("population", k), id=f"p{k}") for k in range(N))


def share(test: Callable[[Task], bool]) -> float:
    return sum(test(task) for task in population()) / N


def test_trips_have_their_shares_and_numbers_of_needs() -> None:
    for trip, wanted in TRIP_SHARES.items():
        assert sum(task.trip == trip for task in population()) / N == pytest.approx(wanted, abs=0.07)
    for task in population():
        low, high = TRIP_NEEDS[task.trip]
        assert low <= len(task.needs) <= high
        assert task.stratum == task.trip


def test_the_population_has_the_published_shares() -> None:
    needs = [need for task in population() for need in task.needs]
    of_needs = {
        "brand": (sum(bool(need.brand) for need in needs), 0.50),
        "size": (sum(bool(need.size) for need in needs), 0.25),
        "limit": (sum(need.price_limit_cents > 0 for need in needs), 0.15),
        "one piece": (sum(need.qty == 1 for need in needs), 0.70),
        "two pieces": (sum(need.qty == 2 for need in needs), 0.22),
    }
    for name, (count, wanted) in of_needs.items():
        assert count / len(needs) == pytest.approx(wanted, abs=0.05), name
    assert share(lambda task: bool(task.household_allergens)) == pytest.approx(0.15, abs=0.06)
    assert share(lambda task: any(need.diets for need in task.needs)) == pytest.approx(0.15, abs=0.06)
    assert Counter(len(need.wants) for need in needs).keys() == {1, 2, 3}
    assert all(0.5 <= need.weight <= 1.5 for need in needs)


def test_needs_never_share_a_type_and_vague_ones_stay_in_a_department() -> None:
    department = {kind.name: kind.department for kind in home().catalogue.types}
    for task in population():
        types = [name for need in task.needs for name in need.types]
        assert len(types) == len(set(types))
        for need in task.needs:
            assert (len(need.types) > 1) == (task.trip == "browse")
            assert len({department[name] for name in need.types}) == 1


def test_recipes_are_dishes() -> None:
    for task in population():
        if task.trip == "recipe":
            types = {name for need in task.needs for name in need.types}
            assert any(types <= set(parts) for parts in RECIPES.values())


def test_recipe_ingredients_are_types_of_the_embedded_catalogue() -> None:
    names = {kind.name for kind in home().catalogue.types}
    assert {part for parts in RECIPES.values() for part in parts} <= names


def test_every_task_can_be_solved_within_its_budget_and_has_a_choice() -> None:
    for task in population():
        p = prepare(home(), task, USER)
        assert p.optimal_turns <= MAX_OPTIMAL_TURNS
        assert 1.01 <= task.budget_cents / p.best_cart.cost_cents <= 1.51
        for need, values, lines in zip(task.needs, p.values, p.best_cart.by_need, strict=True):
            assert len(values.feasible) >= 8
            assert len(values.offers) >= 2
            assert sum(n for _, n in lines) == need.qty


def test_wishes_tell_products_apart() -> None:
    cat = home().catalogue
    for task in population()[:100]:
        for need, values in zip(task.needs, prepare(home(), task, USER).values, strict=True):
            assert list(need.wants.values()) == sorted(need.wants.values(), reverse=True)
            assert sum(need.wants.values()) + need.size_weight == pytest.approx(1.0, abs=1e-3)
            assert not set(need.wants) & set(need.diets)
            for name in need.wants:
                having = sum(int(cat.attr_mask[p]) >> ATTRIBUTE_BIT[name] & 1 for p in values.feasible)
                assert 0.1 <= having / len(values.feasible) <= 0.8


def test_hard_constraints_rule_something_out_but_not_everything() -> None:
    seen = 0
    for task in population():
        for need, values in zip(task.needs, prepare(home(), task, USER).values, strict=True):
            if need.allergens or need.diets:
                seen += 1
                assert 8 <= len(values.feasible) < len(values.utility)
            assert set(need.allergens) <= set(task.household_allergens)
    assert seen > 20


def test_a_price_limit_is_not_below_the_median_price() -> None:
    cat = home().catalogue
    for task in population():
        for need, values in zip(task.needs, prepare(home(), task, USER).values, strict=True):
            if need.price_limit_cents:
                prices = sorted(int(cat.price_cents[p]) for p in values.feasible)
                assert need.price_limit_cents >= prices[(len(prices) - 1) // 2]


def test_equal_arguments_give_the_equal_task_and_other_seeds_another() -> None:
    again = sample_task(home(), seed=seed_of("population", 3), id="p3")
    assert again == population()[3]
    assert sample_task(home(), seed=seed_of("population", 4), id="p3") != again


# --- what is held out ------------------------------------------------------------------------------------------------


def test_about_a_fifth_of_the_types_is_held_out_and_never_met_in_training_or_development() -> None:
    names = [kind.name for kind in home().catalogue.types]
    held = {name for name in names if type_held_out(name)}
    assert len(held) / len(names) == pytest.approx(HELD_OUT_SHARE, abs=0.06)
    tasks = [*population(), *load_suite("dev").tasks, *(train_task(k, store="neighbourhood") for k in range(20))]
    assert not held & {name for task in tasks for need in task.needs for name in need.types}


def test_the_test_strata_are_what_they_are_called() -> None:
    tasks = load_suite("test").tasks
    assert len(tasks) == 500
    for task in tasks:
        split = task.stratum.split(":")[0]
        types = [name for need in task.needs for name in need.types]
        assert all(type_held_out(name) == (split == "unseen_categories") for name in types)
        assert persona_held_out(task.persona) == (split == "unseen_personas")
        assert task.store.startswith("generated:1") == (split == "unseen_layout")
        assert task.stratum == f"{split}:{task.trip}"
    assert Counter(task.stratum.split(":")[0] for task in tasks) == {
        "standard": 200, "unseen_layout": 100, "unseen_categories": 100, "unseen_personas": 100,
    }  # fmt: skip


def test_personas_outside_the_corners_still_span_every_trait() -> None:
    for trait in TRAIT_TABLE:
        places = [(task.persona[trait.name] - trait.low) / (trait.high - trait.low) for task in population()]
        assert min(places) < 0.25, trait.name
        assert max(places) > 0.75, trait.name
    assert len(PERSONA_CORNERS) == 4


# --- dials and refusals ----------------------------------------------------------------------------------------------


def test_the_number_of_needs_can_be_set_for_any_trip() -> None:
    for n in (1, 4, 8):
        for trip in TRIP_SHARES:
            task = sample_task(home(), seed=n, id="x", trip=trip, dials=Dials(n_needs=n))
            assert len(task.needs) == n or (trip == "recipe" and n == 8 and len(task.needs) >= 3)


def test_ambiguity_makes_needs_vague() -> None:
    counts = []
    for share_vague in (0.0, 0.5, 1.0):
        tasks = [
            sample_task(home(), seed=k, id="x", trip="fill_in", dials=Dials(ambiguity=share_vague)) for k in range(30)
        ]
        vague = [len(need.types) > 1 for task in tasks for need in task.needs]
        counts.append(sum(vague) / len(vague))
    assert counts[0] == 0.0
    assert 0.3 < counts[1] < 0.7
    assert counts[2] == 1.0


def test_shifts_move_their_trait_alone_and_stay_in_bounds() -> None:
    plain = sample_task(home(), seed=11, id="x")
    moved = sample_task(home(), seed=11, id="x", dials=Dials(disclosure=0.2, familiarity=-1.0))
    assert moved.persona["disclosure"] == pytest.approx(plain.persona["disclosure"] + 0.2)
    assert moved.persona["familiarity"] == 0.0
    others = plain.persona.keys() - {"disclosure", "familiarity"}
    assert all(moved.persona[name] == plain.persona[name] for name in others)
    assert [need.types for need in moved.needs] == [need.types for need in plain.needs]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_needs": 9}, "n_needs must be 1 to 8"),
        ({"n_needs": 0}, "n_needs must be 1 to 8"),
        ({"ambiguity": 1.5}, r"ambiguity must be in \[0, 1\]"),
        ({"familiarity": float("nan")}, r"familiarity must be in \[-1, 1\]"),
        ({"disclosure": -2.0}, r"disclosure must be in \[-1, 1\]"),
    ],
)
def test_dials_out_of_range_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Dials(**settings)  # type: ignore[arg-type]


def test_an_unknown_trip_is_refused() -> None:
    with pytest.raises(TaskError, match=r"unknown trip 'quik'.*Did you mean 'quick'"):
        sample_task(home(), seed=1, id="x", trip="quik")  # type: ignore[arg-type]


def test_indices_out_of_range_are_refused() -> None:
    with pytest.raises(TaskError, match="must be 0 or more, got -1"):
        train_task(-1)
    with pytest.raises(TaskError, match="tasks 0 to 199, not 200"):
        make_task("dev", 200)
    with pytest.raises(TaskError, match="tasks 0 to 199, not -1"):
        make_task("dev", -1)
    with pytest.raises(TaskError, match="unknown suite 'devv'"):
        make_task("devv", 0)


def test_draws_are_uniform_and_keyed() -> None:
    draws = [Draws(seed, attempt).uniform(1) for seed in range(200) for attempt in range(5)]
    assert len(set(draws)) == len(draws)
    assert sum(draws) / len(draws) == pytest.approx(0.5, abs=0.04)
    picks = Counter(Draws(k).choose({"a": 3.0, "b": 1.0}, 2) for k in range(1000))
    assert picks["a"] / 1000 == pytest.approx(0.75, abs=0.05)
    assert sorted(Draws(5).order([(k, 1.0) for k in range(9)], 3)) == list(range(9))
