"""Every behaviour occurs, every trait does what it says, every mechanism can be switched off."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.rules.rows import TRAITS
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.config import Mechanisms, StockOutShares, UserConfig
from supermarket_env.user_sim.persona import TRAIT_TABLE, trait_value
from supermarket_env.world import World, load_world


def load(name: str) -> ModuleType:
    """Import a module of this folder (tests are not a package)."""
    spec = importlib.util.spec_from_file_location(f"user_tests_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


shop = load("small_shop")


@pytest.fixture(scope="module")
def neighbourhood() -> World:
    return load_world("embedded", "neighbourhood")


PAIRS = 120


@pytest.mark.parametrize("trait", TRAITS)
def test_each_trait_changes_the_behaviour_it_is_named_after(trait: str, neighbourhood: World) -> None:
    traits = shop.program("traits")
    claim = next(claim for claim in traits.CLAIMS if claim.trait == trait)
    found = traits.effect(neighbourhood, claim, traits.pair_tasks(PAIRS), "plain")
    assert found.n >= PAIRS / 2
    assert found.shows(claim.sign), found


@pytest.mark.parametrize("trait", TRAITS)
def test_behaviour_moves_one_way_along_the_whole_range_of_a_trait(trait: str, neighbourhood: World) -> None:
    """Means at four places of the range; a step may not go back by more than a tenth of the whole way."""
    traits = shop.program("traits")
    claim = next(claim for claim in traits.CLAIMS if claim.trait == trait)
    known = next(t for t in TRAIT_TABLE if t.name == trait)
    tasks = traits.pair_tasks(50)
    means = []
    for place in (0.0, 0.35, 0.7, 1.0):
        found = traits.rates(neighbourhood, claim, known.low + place * (known.high - known.low), tasks, "plain")
        kept = [rate for rate in found if rate is not None]
        means.append(claim.sign * sum(kept) / len(kept))
    whole = means[-1] - means[0]
    assert whole > 0.0
    assert all(after - before > -0.1 * whole for before, after in itertools.pairwise(means)), means


def test_a_trait_that_does_nothing_would_be_found_out() -> None:
    traits = shop.program("traits")
    nothing = traits.paired([0.1, 0.2, 0.3, 0.4] * 20, [0.2, 0.1, 0.4, 0.3] * 20)
    assert not nothing.shows(+1)
    assert not nothing.shows(-1)
    rising = traits.paired([0.1, 0.2, None, 0.4] * 20, [0.4, 0.4, 0.4, 0.8] * 20)
    assert rising.n == 60
    assert rising.shows(+1)
    assert not rising.shows(-1)
    with pytest.raises(ValueError, match="at least two pairs"):
        traits.paired([None, 0.2], [0.1, None])


def test_every_behaviour_occurs_in_at_least_one_percent_of_the_trips_it_can(neighbourhood: World) -> None:
    behaviours = shop.program("behaviours")
    tasks = load_suite("dev").tasks
    counts = behaviours.count(tasks, Game(neighbourhood, texts=False, mode="plain"))
    rare = {b.name: share for b, share in behaviours.shares(counts, len(tasks)) if share < behaviours.MINIMUM}
    assert not rare


# --- switches --------------------------------------------------------------------------------------------------------


def extremes() -> list[tuple[str, float]]:
    """Return (mechanism, value): 0 and the largest allowed value of every numeric key."""
    found: list[tuple[str, float]] = []
    for name, field in Mechanisms.model_fields.items():
        if name == "stock_out":
            continue
        upper = next(rule.le for rule in field.metadata if hasattr(rule, "le"))
        found += [(name, 0), (name, upper)]
    return found


@pytest.mark.parametrize(("name", "value"), extremes())
def test_every_mechanism_can_be_switched_off_or_made_extreme(name: str, value: float, neighbourhood: World) -> None:
    user = UserConfig.model_validate({"mechanisms": {name: value}})
    game = Game(neighbourhood, user=user, mode="plain", texts=False)
    for agent, task in zip(("silent", "rule", "random"), load_suite("dev", n=3).tasks, strict=True):
        assistant: Any = make_agent(agent)
        view = game.reset(task, seed=11)
        assistant.start(view)
        while not game.done:
            view = game.step(assistant.reply(view))
        assert game.reason not in ("", "infra_error", "assistant_error")


@pytest.mark.parametrize("share", StockOutShares.model_fields)
def test_each_stock_out_reaction_can_be_made_the_only_one(share: str) -> None:
    shares = dict.fromkeys(StockOutShares.model_fields, 0.0) | {share: 1.0}
    tables = shop.small_tables(stock_out=shares)
    tables.prod[0].stock = 0
    number = 1 + list(StockOutShares.model_fields).index(share)
    for seed in range(20):
        user = shop.Shopper(shop.MILK, shop.JAM, seed=seed, tables=tables).open()
        user.hear(items=(0,))
        reactions = set()
        while user.s.end == 0:
            user.hear()
            reactions.add(user.o.stock_out)
        assert reactions == {0, number}


def test_shares_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(ValidationError, match=r"must sum to 1, got 1\.1"):
        StockOutShares(drop=0.19)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"traits": {"trst": 1.0}}, "trust"),
        ({"mechanisms": {"turn_cost": -1.0}}, "greater than or equal to 0"),
        ({"mechanisms": {"turncost": 1.0}}, "Extra inputs"),
        ({"draw_keys": "coin"}, "event"),
    ],
)
def test_a_mistyped_configuration_is_refused_with_a_hint(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        UserConfig.model_validate(given)


def test_the_hash_tells_configurations_apart() -> None:
    one, two = UserConfig(), UserConfig(traits={"trust": 0.5})
    assert one.content_hash() == UserConfig().content_hash()
    assert one.content_hash() != two.content_hash()
    assert one.content_hash() != UserConfig(draw_keys="turn").content_hash()


def test_traits_are_drawn_within_their_documented_range() -> None:
    for trait in TRAIT_TABLE:
        assert trait.minimum <= trait.low < trait.high <= trait.maximum
        for u in (0.0, 0.3, 0.999999):
            for v in (0.0, 0.5, 0.999999):
                assert trait.low <= trait_value(trait, u, v) <= trait.high
