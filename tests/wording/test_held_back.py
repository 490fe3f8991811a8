"""Phrasings held back for the text track's test suites: complete, different, spoken where they should be."""

from __future__ import annotations

import pytest

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue.parse import Parser
from supermarket_env.envs.game import Game
from supermarket_env.rules.codes import USER_ACTS
from supermarket_env.store import load_store
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.config import UserConfig, wording_for
from supermarket_env.user_sim.wording.accuracy import measure_all, sentences
from supermarket_env.user_sim.wording.grammar import HELD_BACK, STANDARD
from supermarket_env.world import load_world


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


def test_every_case_of_the_standard_grammar_has_its_phrasings() -> None:
    for part in ("ask", "reject", "complain", "bye"):
        assert set(getattr(HELD_BACK, part)) == set(getattr(STANDARD, part)), part


@pytest.mark.parametrize("act", USER_ACTS)
def test_lines_are_whole_and_not_those_of_the_standard(catalogue: Catalogue, act: str) -> None:
    held = [text for _, text in sentences(catalogue, act, 150, variant="held_back")]
    plain = {text for _, text in sentences(catalogue, act, 150)}
    assert all(text and "{" not in text and "|" not in text and len(text) <= 300 for text in held)
    assert sum(text in plain for text in held) <= 0.08 * len(held)


def test_the_parser_reads_most_of_them_but_fewer_than_the_standard_ones(catalogue: Catalogue) -> None:
    parser = Parser(catalogue, load_store("neighbourhood", catalogue))

    def accuracy(variant: str) -> float:
        rows = measure_all(catalogue, parser, 60, variant=variant)
        return sum(row.act_accuracy for row in rows) / len(rows)

    held, plain = accuracy("held_back"), accuracy("standard")
    assert 0.75 <= held < plain


def test_which_suites_use_them() -> None:
    assert {suite: wording_for("text", suite) for suite in ("train", "dev", "test", "test@hyper@embedded")} == {
        "train": "standard",
        "dev": "standard",
        "test": "held_back",
        "test@hyper@embedded": "held_back",
    }
    assert UserConfig().content_hash() != UserConfig(wording="held_back").content_hash()


def test_the_same_trip_in_other_words() -> None:
    world, task = load_world("embedded", "neighbourhood"), load_suite("dev").tasks[0]
    played = {}
    for variant in ("standard", "held_back"):
        game = Game(world, user=UserConfig.model_validate({"wording": variant}), mode="plain")
        view = game.reset(task, seed=3)
        while not game.done:
            view = game.step({})
        assert view.turn > 1
        events = game.episode()["events"]
        played[variant] = [{k: v for k, v in event.items() if k != "text"} for event in events]
        played[variant + " words"] = [event["text"] for event in events if event.get("text")]
    assert played["standard"] == played["held_back"]
    assert played["standard words"] != played["held_back words"]
