"""Suites: frozen bytes and hashes, every kind of broken file, other stores, the cache."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import SupermarketError, TaskError
from supermarket_env.tasks import moved, suites
from supermarket_env.tasks.freeze import data_folder, freeze
from supermarket_env.tasks.moved import cache_folder
from supermarket_env.tasks.suites import (
    SUITES,
    Block,
    Suite,
    content_hash,
    load_suite,
    make_task,
    parse_tasks,
    suite_text,
    train_task,
    world_of,
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty disk cache and nothing kept in the process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(moved, "_kept", {})
    return tmp_path / "supermarket_env" / "suites"


@pytest.mark.parametrize(("name", "n"), [("dev", 200), ("test", 500)])
def test_frozen_suites_have_their_size_and_recorded_hash(name: str, n: int) -> None:
    suite = load_suite(name)
    record = json.loads((data_folder() / f"{name}.json").read_text(encoding="utf-8"))
    assert len(suite) == n == record["tasks"]
    assert suite.content_hash == record["content_hash"] == content_hash(suite.tasks)
    assert (suite.name, suite.version) == (name, record["version"])
    assert len({task.id for task in suite.tasks}) == len({task.seed for task in suite.tasks}) == n


@pytest.mark.parametrize("name", ["dev", "test"])
def test_frozen_suites_belong_to_the_shipped_catalogue_and_stores(name: str) -> None:
    suite = load_suite(name)
    for store, then in suite.store_hashes.items():
        assert world_of("embedded", store).store.content_hash == then
    assert suite.catalogue_hashes == {"embedded": world_of("embedded", "corner").catalogue.content_hash}


@pytest.mark.parametrize(("name", "numbers"), [("dev", range(5)), ("test", (0, 1, 200, 201, 300, 301, 400, 499))])
def test_drawing_again_gives_the_same_bytes(name: str, numbers: Any) -> None:
    frozen = gzip.decompress((data_folder() / f"{name}.jsonl.gz").read_bytes()).splitlines(keepends=True)
    for k in numbers:
        assert suite_text((make_task(name, k),)) == frozen[k]


def test_freezing_writes_a_suite_that_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SUITES, "small", (Block(2, "{trip}", stores=("corner",)), Block(1, "far:{trip}")))
    first = freeze("small", tmp_path / "a").read_bytes()
    assert freeze("small", tmp_path / "b").read_bytes() == first
    suite = load_suite(str(tmp_path / "a" / "small.jsonl.gz"))
    assert [task.store for task in suite.tasks] == ["corner", "corner", "neighbourhood"]
    assert [task.id for task in suite.tasks] == ["small-0000", "small-0001", "small-0002"]
    record = json.loads((tmp_path / "a" / "small.json").read_text(encoding="utf-8"))
    assert record["content_hash"] == suite.content_hash == hashlib.sha256(gzip.decompress(first)).hexdigest()
    assert record["stores"].keys() == {"corner", "neighbourhood"}
    with pytest.raises(TaskError, match="unknown suite 'smal'"):
        freeze("smal", tmp_path)


def test_the_first_n_tasks_are_the_first_in_file_order() -> None:
    whole, part = load_suite("dev"), load_suite("dev", n=7)
    assert part.tasks == whole.tasks[:7]
    assert part.content_hash == content_hash(part.tasks) != whole.content_hash
    assert load_suite("dev", n=1000).content_hash == whole.content_hash
    assert load_suite("dev", n=0).tasks == ()


def test_train_is_fresh_and_repeatable() -> None:
    suite = load_suite("train", n=4, store="corner")
    assert [task.id for task in suite.tasks] == ["train-000000", "train-000001", "train-000002", "train-000003"]
    assert suite.name == "train@corner@embedded"
    assert suite.tasks[2] == train_task(2, store="corner")
    assert not {task.seed for task in suite.tasks} & {task.seed for task in load_suite("dev").tasks}
    assert train_task(4).store == "generated:5"


def test_a_task_is_found_by_its_id_or_refused() -> None:
    suite = load_suite("dev")
    assert suite.task("dev-0007") is suite.tasks[7]
    with pytest.raises(TaskError, match="unknown task of suite dev 'dev-7777'"):
        suite.task("dev-7777")
    assert sum(suite.strata().values()) == 200


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_suite("tset"), "unknown suite 'tset'; valid: dev, test, .*train. Did you mean 'test'"),
        (lambda: load_suite("train"), "has no end"),
        (lambda: load_suite("dev", n=-1), "0 or more, got -1"),
        (lambda: load_suite("x.jsonl", store="corner"), "cannot be moved"),
        (lambda: load_suite("nowhere/x.jsonl"), "nowhere/x.jsonl: cannot be read"),
    ],
)
def test_wrong_requests_are_refused(call: Callable[[], Suite], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        call()


def test_an_unknown_store_or_catalogue_is_refused_with_the_nearest(cache: Path) -> None:
    with pytest.raises(SupermarketError, match="Did you mean 'hyper'"):
        load_suite("dev", store="hypr")
    with pytest.raises(SupermarketError, match="Did you mean 'embedded'"):
        load_suite("dev", catalogue="embeded")


def broken(change: Callable[[dict[str, Any]], Any]) -> bytes:
    """Return three lines, the second of them changed."""
    lines = [json.loads(line) for line in suite_text(load_suite("dev").tasks[:3]).splitlines()]
    change(lines[1])
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.pop("seed"), "field seed: Field required"),
        (lambda x: x.update(seed=-3), "field seed: .*got '-3'"),
        (lambda x: x.update(budget_cents="much"), "field budget_cents: .*got 'much'"),
        (lambda x: x.update(colour="red"), "field colour: Extra inputs"),
        (lambda x: x.update(trip="quik"), "field trip: .*got 'quik'"),
        (lambda x: x.update(needs=[]), "field needs: "),
        (lambda x: x.update(needs=x["needs"] * 9), "field needs: "),
        (lambda x: x["needs"][0].update(qty=0), r"field needs\.0\.qty: .*got '0'"),
        (lambda x: x["needs"][0].update(wants={"shiny": 1.0}), r"field needs\.0\.wants: .*unknown attribute 'shiny'"),
        (lambda x: x["needs"][0].update(diets=["vegam"]), r"field needs\.0: .*Did you mean 'vegan'"),
        (lambda x: x["needs"][0].update(allergens=["nut"]), r"field needs\.0: .*Did you mean 'nuts'"),
        (lambda x: x["needs"][0].update(types=[]), r"field needs\.0\.types"),
        (lambda x: x["persona"].pop("trust"), "field persona: .*lacks trait 'trust'"),
        (lambda x: x["persona"].update(trust=7.0), r"field persona: .*must be in \[0.0, 1.0\], got 7.0"),
        (lambda x: x["persona"].update(charm=0.5), "field persona: .*unknown trait 'charm'"),
        (lambda x: x.update(id="dev-0000"), "field id: 'dev-0000' is the id of line 1 too"),
    ],
)
def test_a_broken_task_is_named_by_file_line_and_field(change: Callable[[dict[str, Any]], Any], message: str) -> None:
    with pytest.raises(TaskError, match=f"f.jsonl, line 2, {message}"):
        parse_tasks(broken(change), "f.jsonl")


def test_text_that_is_no_json_or_no_object_is_refused() -> None:
    with pytest.raises(TaskError, match=r"f, line 1, field \(whole line\): Invalid JSON"):
        parse_tasks(b"{oops\n", "f")
    with pytest.raises(TaskError, match=r"f, line 2, field \(whole line\)"):
        parse_tasks(b"\n[1, 2]\n", "f")
    assert parse_tasks(b"\n", "f") == ()


def test_a_damaged_archive_and_a_changed_file_are_refused(tmp_path: Path) -> None:
    whole = (data_folder() / "dev.jsonl.gz").read_bytes()
    torn = tmp_path / "dev.jsonl.gz"
    torn.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TaskError, match="no intact gzip file"):
        load_suite(str(torn))
    changed = gzip.compress(gzip.decompress(whole).replace(b'"qty":1', b'"qty":2', 1))
    torn.write_bytes(changed)
    (tmp_path / "dev.json").write_text((data_folder() / "dev.json").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(TaskError, match="was changed after it was frozen"):
        suites._read_suite(torn, "dev", tmp_path / "dev.json")
    (tmp_path / "dev.json").write_text("[]", encoding="utf-8")
    with pytest.raises(TaskError, match="no record of a frozen suite"):
        suites._read_suite(torn, "dev", tmp_path / "dev.json")


# --- other stores ----------------------------------------------------------------------------------------------------


def test_the_own_store_and_catalogue_give_the_frozen_suite() -> None:
    assert load_suite("dev", store="neighbourhood", catalogue="embedded") is load_suite("dev")
    assert load_suite("test", catalogue="embedded") is load_suite("test")


def test_another_store_gets_the_same_seeds_and_a_name_and_hash_of_its_own(cache: Path) -> None:
    suite = load_suite("dev", store="corner", n=6)
    own = load_suite("dev", n=6)
    assert suite.name == "dev@corner@embedded"
    assert [task.seed for task in suite.tasks] == [task.seed for task in own.tasks]
    assert {task.store for task in suite.tasks} == {"corner"}
    assert suite.content_hash != own.content_hash
    assert suite.store_hashes == {"corner": world_of("embedded", "corner").store.content_hash}


def test_moved_suites_are_read_back_from_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_suite("dev", store="corner", n=3)
    assert load_suite("dev", store="corner", n=3) is first
    files = list(cache.iterdir())
    assert [file.suffix for file in files] == [".gz"]
    monkeypatch.setattr(moved, "_kept", {})
    monkeypatch.setattr(moved, "make_task", None)
    assert load_suite("dev", store="corner", n=3).tasks == first.tasks


def test_a_damaged_cache_file_is_drawn_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_suite("dev", store="corner", n=2)
    file = next(cache.iterdir())
    for damage in (b"", file.read_bytes()[:-9], gzip.compress(b"no hash\n{}")):
        file.write_bytes(damage)
        monkeypatch.setattr(moved, "_kept", {})
        assert load_suite("dev", store="corner", n=2).tasks == first.tasks


def test_a_cache_that_cannot_be_written_does_no_harm(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert len(load_suite("dev", store="corner", n=2)) == 2
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "supermarket_env" / "suites"
