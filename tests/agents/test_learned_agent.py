"""The learned assistant: what it shows to whom, when it hurries, and that it never breaks what was named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.agents.goods_network import FEATURES, LAYERS, GoodsNetwork, Leaning, goods_features, suitable
from supermarket_env.agents.learned import Learned
from supermarket_env.agents.rule_memory import NeedMemory
from supermarket_env.agents.shelf import shelf_of
from supermarket_env.errors import ConfigError
from supermarket_env.world import World


def network(seed: int = 0, **meta: Any) -> GoodsNetwork:
    rng = np.random.Generator(np.random.Philox(seed))
    shapes = {"first": (4, len(FEATURES)), "second": (4, 4), "last": (1, 4)}
    arrays: dict[str, Any] = {"mean": np.zeros(len(FEATURES)), "scale": np.ones(len(FEATURES))}
    for layer in LAYERS:
        arrays[f"{layer}.w"] = rng.standard_normal(shapes[layer])
        arrays[f"{layer}.b"] = rng.standard_normal(shapes[layer][0])
    return GoodsNetwork(arrays, {"features": list(FEATURES), "thresholds": {}, **meta})


def test_the_shipped_one_plays_without_faults_and_again_the_same(trip: Callable[..., Any]) -> None:
    one, two = trip("learned", index=2), trip("learned", index=2)
    assert one.faults == []
    assert one.messages == two.messages
    assert one.line["truth"] == two.line["truth"]


def test_who_wavers_is_shown_more_led_by_what_it_thinks_of(trip: Callable[..., Any]) -> None:
    seconds = 0
    for index in range(12):
        played = trip(Learned(), index=index)
        for before, now in zip(played.exchanges, played.exchanges[1:], strict=False):
            wavers = before.response.act in ("ask", "hesitate", "request_compare") and before.response.products
            if wavers and now.message.act == "recommend" and now.message.need == before.response.need:
                seconds += 1
                assert now.message.items[0] == before.response.products[0]
                assert now.message.items != before.message.items
                assert len(set(now.message.items)) == len(now.message.items)
    assert seconds >= 3


def test_without_second_lists_a_question_is_answered(trip: Callable[..., Any]) -> None:
    answered = 0
    for index in range(12):
        played = trip(Learned(habits={"second_lists": False}), index=index)
        for before, now in zip(played.exchanges, played.exchanges[1:], strict=False):
            if before.response.act in ("ask", "hesitate", "request_compare") and before.response.products:
                assert now.message.act in ("inform", "confirm", "compare")
                answered += 1
    assert answered >= 2


def test_when_it_hurries_it_asks_nothing_about_needs_and_shows_little(trip: Callable[..., Any]) -> None:
    hurried = {"hurry_at": 0.0, "hurried_list": 2}
    for index in range(4):
        played = trip(Learned(habits=hurried), index=index)
        for heard, message in list(zip(played.heard, played.messages, strict=True))[1:]:
            assert len(message.items) <= 2
            if message.act == "ask" and message.need:
                assert heard[message.need - 1].product_type is None


def test_patience_is_counted_as_the_habits_say(trip: Callable[..., Any]) -> None:
    costs = {"turn_cost": 1.0, "wait_cost": 0.0, "item_cost": 0.0, "hurry_at": 4.5}
    assistant = Learned(habits=costs)
    played = trip(assistant, index=1)
    assert len(played.messages) > 6
    assert assistant.hurries
    calm = Learned()
    trip(calm, index=1)
    assert not calm.hurries


def test_lists_keep_what_was_named_for_the_need(world: World, need: Callable[..., Any]) -> None:
    shelf = shelf_of(world.catalogue, world.store)
    named = need(1, product_type="muffins", diet=frozenset({"vegan"}), allergy=frozenset({"nuts"}))
    goods, x = goods_features(shelf, named, NeedMemory(1), [named], Leaning(), 1.0)
    assert x.shape == (len(goods), len(FEATURES))
    kept = [g for g in goods if suitable(named, g)]
    assert 0 < len(kept) < len(goods)
    assert all(world.catalogue.product(g.id).product_type == "muffins" for g in kept)


def test_features_say_what_they_are_named(world: World, need: Callable[..., Any]) -> None:
    shelf = shelf_of(world.catalogue, world.store)
    brand = shelf.of_type(shelf.type_number["muffins"])[0].brand
    named = need(1, product_type="muffins", wanted=frozenset({"vegan"}), brand=brand)
    other = need(2, product_type="bananas", allergy=frozenset({"milk"}))
    memo = NeedMemory(1, wishes=("vegan",))
    goods, x = goods_features(shelf, named, memo, [named, other], Leaning(0.5, -1.0), 2.0)
    column = {name: x[:, k] for k, name in enumerate(FEATURES)}
    assert column["brand"].tolist() == [float(g.brand == brand) for g in goods]
    assert column["brand_share_open"].max() == 0.0  # it was said
    assert set(column["match"].tolist()) == {0.0, 1.0}
    assert np.allclose(column["price_times_lean"], 0.5 * column["relative_price"])
    assert np.allclose(column["brand_times_loyalty"], -column["brand"])
    assert column["breaks_other_allergy"].max() == 1.0
    assert column["thrift"].tolist() == [1.0] * len(goods)
    nothing, empty = goods_features(shelf, need(1), memo, [], Leaning(), 1.0)
    assert nothing == ()
    assert empty.shape == (0, len(FEATURES))


def test_a_network_is_read_back_and_others_are_refused(tmp_path: Path) -> None:
    made = network(habits={"read": 5})
    made.save(tmp_path / "learned.npz")
    again = GoodsNetwork.load(tmp_path / "learned.npz")
    x = np.random.Generator(np.random.Philox(1)).random((5, len(FEATURES)))
    assert np.allclose(again.worth(x), made.worth(x), atol=1e-5)
    assert Learned(tmp_path).habits.read == 5
    with pytest.raises(ConfigError, match=r"expected a learned\.npz"):
        Learned(tmp_path / "nothing.npz")
    with pytest.raises(ConfigError, match="other features"):
        GoodsNetwork(made.arrays, {"features": ["match"]})
    with pytest.raises(ConfigError, match="arrays missing: mean"):
        GoodsNetwork({}, {"features": list(FEATURES)})


def test_unknown_habits_have_a_neighbour() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'hurry_at'"):
        Learned(habits={"hury_at": 3.0})
    with pytest.raises(ConfigError, match="list_length"):
        Learned(habits={"list_length": 11})
