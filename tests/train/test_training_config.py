"""Configuration of training: words, files, and mistakes that are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.train.config import GoodsConfig, TrainConfig, from_words, presets


def test_words_are_yaml_and_later_ones_win(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("steps: 5\nppo: {gamma: 0.5, width: 8}\n", encoding="utf-8")
    data = from_words([f"config={file}", "ppo.gamma=0.9", "stores=[corner]", "clone.log=null"])
    config = TrainConfig.parse(data)
    assert (config.steps, config.ppo.gamma, config.ppo.width, config.stores) == (5, 0.9, 8, ("corner",))


@pytest.mark.parametrize(
    ("word", "says"),
    [("steps", "KEY=VALUE"), ("=3", "KEY=VALUE"), ("config=nowhere.yaml", "nowhere"), ("user=[", "YAML")],
)
def test_a_broken_word_is_named(word: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        from_words([word])


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("stepz=3", "steps"),
        ("ppo.gama=0.9", "ppo.gamma"),
        ("steps=-1", "steps"),
        ("blind=deaf", "blind"),
        ("reward=money", "reward"),
    ],
)
def test_a_wrong_key_or_value_is_named(word: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        TrainConfig.parse(from_words([word]))


def test_thresholds_are_those_of_a_rule_assistant() -> None:
    assert TrainConfig(thresholds={"list_length": 3}).threshold_fields() == {"list_length": 3}
    assert TrainConfig(thresholds="rule").threshold_fields()["ask"] is True
    with pytest.raises(ConfigError, match="no rule assistant"):
        TrainConfig(thresholds="silent").threshold_fields()
    assert "ppo.gamma" in TrainConfig.dotted_keys()


@pytest.mark.parametrize(("way", "kind"), [("ppo", TrainConfig), ("rule", TrainConfig), ("goods", GoodsConfig)])
def test_every_preset_fits_its_way_of_learning(way: str, kind: type[TrainConfig] | type[GoodsConfig]) -> None:
    assert "quick" in presets(way)
    for name in presets(way):
        kind.parse(from_words([f"preset={name}"], way))


def test_words_after_a_preset_win_and_an_unknown_preset_has_a_neighbour() -> None:
    assert from_words(["preset=quick", "steps=7"])["steps"] == 7
    with pytest.raises(ConfigError, match="Did you mean 'quick'"):
        from_words(["preset=quik"])
    with pytest.raises(ConfigError, match="Did you mean 'learning_rate'"):
        GoodsConfig.parse({"learning_rat": 1})
