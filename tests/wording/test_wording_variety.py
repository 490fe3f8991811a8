"""The grammar is rich: few repeated word pairs, no favourite sentence."""

from __future__ import annotations

from collections import Counter

import pytest

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.rules.codes import USER_ACTS
from supermarket_env.user_sim.wording.accuracy import distinct_2, sentences


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


@pytest.mark.parametrize("act", USER_ACTS)
def test_a_thousand_lines_of_an_act_are_varied(catalogue: Catalogue, act: str) -> None:
    texts = [text for _, text in sentences(catalogue, act, 1000, first_key=20_000)]
    assert distinct_2(texts) >= 0.35
    assert Counter(texts).most_common(1)[0][1] <= 50


def test_distinct_2_counts_pairs() -> None:
    assert distinct_2(["A b, c!", "a b"]) == pytest.approx(2 / 3)
    assert distinct_2(["word"]) == 0.0
