"""The pattern notation and the draws."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.user_sim.wording.template import Block, Draws, compiled, mixed


@given(st.integers(min_value=0, max_value=2**62 - 1))
@settings(deadline=None, max_examples=50)
def test_equal_keys_draw_equally_and_stay_in_the_pool(key: int) -> None:
    first, second = Draws(key), Draws(key)
    pool = tuple(range(17))
    drawn = [first.of(pool) for _ in range(25)]
    assert drawn == [second.of(pool) for _ in range(25)]
    assert 0 <= mixed(key) < 2**128


def test_neighbouring_keys_spread_evenly_in_every_place() -> None:
    counts = [Counter[int]() for _ in range(12)]
    for key in range(4000):
        draws = Draws(key)
        for count in counts:
            count[draws.of(range(8))] += 1
    for count in counts:
        assert set(count) == set(range(8))
        assert max(count.values()) < 620
        assert min(count.values()) > 390


def test_a_pattern_says_each_of_its_choices() -> None:
    pattern = compiled("(a|b|) and (c|d)")
    assert {pattern.text(Draws(k)) for k in range(200)} == {f"{x} and {y}" for x in ("a", "b", "") for y in ("c", "d")}
    assert not pattern.question
    assert compiled("what (is|was) {x}?").question


def test_tones_choose_among_their_own_patterns() -> None:
    block = Block(common=("plain",), warm=("warm",), sharp=("sharp",), angry=("angry",))
    said = [{Draws(k).of(patterns).text(Draws(k)) for k in range(100)} for patterns in block.by_tone]
    assert said == [{"plain", "warm"}, {"plain"}, {"sharp"}, {"angry", "sharp"}]
