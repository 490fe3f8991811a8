"""Counting the goods of a need by what they lack, and the figure made from it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from supermarket_env.agents.registry import make_agent
from supermarket_env.cli.metrics import metrics
from supermarket_env.envs.game import Game
from supermarket_env.envs.labels import EpisodeLabels
from supermarket_env.events.validate import validate_episode
from supermarket_env.metrics import compute
from supermarket_env.run.candidates import candidates_of, with_candidates
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import World, load_world


@pytest.fixture(scope="module")
def world() -> World:
    return load_world("embedded", "neighbourhood")


@pytest.fixture(scope="module")
def played(world: World) -> dict[str, Any]:
    task = load_suite("dev").tasks[3]
    game = Game(world, texts=False, mode="plain")
    assistant = make_agent("rule")
    labels = EpisodeLabels(agent="rule", store="neighbourhood", catalogue="embedded", task_id=task.id)
    view = game.reset(task, seed=1, labels=labels)
    assistant.start(view)
    while not game.done:
        view = game.step(assistant.reply(view))
    return game.episode()


def test_counts_cover_the_shelf_and_acceptable_goods_break_nothing_hard(world: World, played: dict[str, Any]) -> None:
    store, catalogue = world.store, world.catalogue
    for need in played["truth"]["needs"]:
        groups = candidates_of(world, need)
        kind = catalogue.type_number(need["type"])
        carried = [p for p in catalogue.products_of(kind) if store.home_section[p] >= 0 and store.stock[p] > 0]
        assert sum(count for count, _ in groups) == len(carried)
        assert all(set(lacks) <= set(need["attributes"]) - {"type", "qty"} for _, lacks in groups)
        fit = sum(count for count, lacks in groups if not {"diet", "allergy"} & set(lacks))
        assert fit >= len(played["truth"]["acceptable"][need["id"]])


def test_a_lack_is_what_the_catalogue_says(world: World) -> None:
    catalogue = world.catalogue
    product = catalogue.product(catalogue.ids[0])
    kind = catalogue.types[int(catalogue.type_idx[0])].name
    need = {"type": kind, "brand": product.brand, "attributes": ["type", "brand"]}
    groups = {tuple(lacks): count for count, lacks in candidates_of(world, need)}
    carried = sum(groups.values())
    same = sum(
        catalogue.product(catalogue.ids[p]).brand == product.brand
        for p in catalogue.products_of(int(catalogue.type_idx[0]))
        if world.store.home_section[p] >= 0 and world.store.stock[p] > 0
    )
    assert (groups.get((), 0), groups.get(("brand",), 0)) == (same, carried - same)
    assert candidates_of(world, {"type": "no such thing"}) == []
    assert candidates_of(world, {}) == []


def test_the_given_episodes_stay_as_they_are(played: dict[str, Any]) -> None:
    before = json.dumps(played, sort_keys=True)
    episode = validate_episode(played)
    (made,) = with_candidates([episode])
    assert json.dumps(episode.data, sort_keys=True) == before
    assert compute([episode])["beyond"]["candidate_bits"] is None
    bits = compute([made])["beyond"]["candidate_bits"]
    assert 0.0 < bits <= math.log2(200)
    bare = validate_episode({key: played[key] for key in ("schema", "episode_id", "agent", "events")})
    assert with_candidates([bare]) == [bare]


def test_the_command_looks_them_up(played: dict[str, Any], tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(metrics)
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(played) + "\n", encoding="utf-8")
    run = CliRunner().invoke(app, [str(log), "--json", "--candidates"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["beyond"]["candidate_bits"] > 0.0
    log.write_text(json.dumps({**played, "store": "nowhere"}) + "\n", encoding="utf-8")
    run = CliRunner().invoke(app, [str(log), "--json", "--candidates"])
    assert run.exit_code == 2
    assert "nowhere" in run.stderr
