"""The common door: registry, sheets, files, errors, and the note on templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.events.log import read_log
from supermarket_env.scorers import SCORERS, Score, ScoreSheet, impl_of, make_scorer, make_scorers, replies_of, unscored
from supermarket_env.scorers.base import TEMPLATE_WRITTEN, wording_note
from supermarket_env.scorers.files import read_scores, write_scores
from supermarket_env.scorers.sheets import score_episode, value_in


class Broken:
    name = "broken"
    version = "1"

    def score(self, episode: Any) -> ScoreSheet:
        raise RuntimeError(f"no way at {hex(id(self))}\x00")


class Odd:
    name = "odd"
    version = "1"

    def score(self, episode: Any) -> ScoreSheet:
        return ScoreSheet((Score("x", float("nan"), is_rating=True),))


def test_every_shipped_assistant_is_known_to_speak_in_templates() -> None:
    from supermarket_env.agents.registry import OFFLINE

    assert set(OFFLINE) == TEMPLATE_WRITTEN
    assert wording_note("somebody") is None


@pytest.mark.parametrize("name", ["judge", "virtual_agent"])
def test_shipped_scorers_score_the_same_every_time(log: Any, name: str) -> None:
    episode = log.episode(log.user(0, "disclose", "Milk", **log.wants(1, "fresh milk")), log.says(1, "Hi"), log.user(1))
    before = repr(episode.data)
    lines = [score_episode(make_scorer(name), episode).line for _ in range(2)]
    assert lines[0] == lines[1]
    assert repr(episode.data) == before
    assert lines[0]["values"]["impl"] == impl_of(make_scorer(name))
    for score in lines[0]["values"]["scores"]:
        assert (score["value"] is None) == ("reason" in score)


class Leaving:
    name = "leaving"
    version = "1"

    def score(self, episode: Any) -> ScoreSheet:
        raise SystemExit(3)


@pytest.mark.parametrize("scorer", [Broken(), Odd(), Leaving()])
def test_an_error_of_a_scorer_is_a_fault_of_the_judge(log: Any, scorer: Any) -> None:
    scored = score_episode(scorer, log.episode(log.says(3, "Hi"), log.user(3)))
    (fault,) = scored.line["events"]
    assert scored.failed
    assert (fault["who"], fault["turn"]) == ("judge", 3)
    assert "\x00" not in fault["detail"]
    assert "at 0x" not in fault["detail"].replace("at 0x ", "")


def test_unknown_names_and_options_are_refused() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'judge'"):
        make_scorer("judg")
    with pytest.raises(ConfigError, match=r"has no option 'wieghts'.*Did you mean 'weights'"):
        make_scorer({"name": "virtual_agent", "wieghts": {}})
    with pytest.raises(ConfigError, match="given twice: judge@rules-2"):
        make_scorers(["judge", "judge"])
    with pytest.raises(ConfigError, match="cannot be imported"):
        make_scorer({"name": "own", "_target_": "nowhere.Thing"})
    with pytest.raises(ConfigError, match="is no scorer"):
        make_scorer({"name": "own", "_target_": "builtins.dict"})


def test_a_scorer_of_your_own(tmp_path: Path) -> None:
    made = make_scorer({"name": "own", "_target_": f"{Broken.__module__}.Broken"}) if _importable() else Broken()
    assert impl_of(made) == "broken@1"


def _importable() -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(Broken.__module__) is not None
    except (ImportError, ValueError):
        return False


def test_unscored_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        unscored("naturalness", "")


def test_replies_stand_in_their_context(log: Any) -> None:
    shown = {"k": "recommend", "turn": 2, "items": ["a", "b"]}
    found = replies_of(
        log.episode(
            log.user(0, text="Hello"),
            log.says(1, "Hi"),
            log.user(1, text="Milk?"),
            log.says(2, "There"),
            shown,
            log.user(2),
        )
    )
    assert [reply.text for reply in found] == ["Hi", "There"]
    assert found[1].context == (("user", "Hello"), ("assistant", "Hi"), ("user", "Milk?"))
    assert found[1].items == ("a", "b")
    assert found[1].before is not None
    assert found[1].before["text"] == "Milk?"


def test_a_scores_file_is_read_back_and_merged_by_readers(log: Any, tmp_path: Path) -> None:
    from supermarket_env.events.log import encode_episode

    episode = log.episode(log.says(1, "Hi"), log.user(1))
    (tmp_path / "episodes.jsonl").write_bytes(encode_episode(episode))
    line = score_episode(make_scorer("judge"), episode).line
    path = tmp_path / "scores" / "judge@rules-2.jsonl"
    write_scores(path, [line])
    assert read_scores(path) == {"e": line}
    path.write_bytes(path.read_bytes() + b'{"episode_id": "torn')
    assert read_scores(path) == {"e": line}
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    (read,) = read_log([tmp_path]).episodes
    assert read.values["judge@rules-2"] == line["values"]
    assert SCORERS.keys() >= {"judge", "virtual_agent"}


def test_values_are_means_over_raters() -> None:
    scores = [{"dim": "x", "value": 4}, {"dim": "x", "value": None}, {"dim": "x", "value": 3}]
    assert value_in({"scores": scores}, "x") == 3.5
    assert value_in({}, "x") is None


def test_the_functions_of_all_systems_stand_in_one_place() -> None:
    import supermarket_env.scorers as scorers

    for name in scorers.__all__:
        assert getattr(scorers, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        scorers.nothing  # noqa: B018


class Talkative:
    name = "talkative"
    version = "1"

    def score(self, episode: Any) -> ScoreSheet:
        return ScoreSheet((Score("words", float(len(replies_of(episode)))),))


class Forgetful(Talkative):
    def __init__(self) -> None:
        self.seen = 0

    def score(self, episode: Any) -> ScoreSheet:
        self.seen += 1
        return ScoreSheet((Score("seen", self.seen),))


class Silent(Talkative):
    def score(self, episode: Any) -> ScoreSheet:
        return ScoreSheet((Score("words", None),))


class Harsh(Talkative):
    def score(self, episode: Any) -> ScoreSheet:
        return ScoreSheet((Score("naturalness", 0, is_rating=True),))


class Nameless(Talkative):
    version = "1/2"


def test_shipped_and_own_scorers_conform() -> None:
    from supermarket_env.testing import check_scorer

    for factory in (lambda: make_scorer("judge"), lambda: make_scorer("virtual_agent"), Talkative):
        check_scorer(factory, trips=1)


@pytest.mark.parametrize(
    ("factory", "words"),
    [
        (Forgetful, "the same episode must always give the same scores"),
        (Silent, "needs a reason"),
        (Harsh, "expected a rating from 1 to 5, got 0"),
        (Nameless, "a name and a version"),
        (Broken, "no way"),
    ],
)
def test_scorers_that_do_not_conform_are_found(factory: Any, words: str) -> None:
    from supermarket_env.testing import check_scorer

    with pytest.raises((AssertionError, RuntimeError), match=words):
        check_scorer(factory, trips=1)
