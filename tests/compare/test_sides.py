"""Which assistant of which run is meant, and which runs may not be compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from supermarket_env.compare.manifest import read_manifest
from supermarket_env.compare.sides import Run, Side, agent_of, check_alike, split_word, whole_run
from supermarket_env.errors import ConfigError, RunFolderError

Make = Callable[..., Run]

WHOLE_MANIFEST = {
    "schema": "supermarket.run/1", "package_version": "0", "comparability": "suites v1", "config_hash": "0",
    "config": {"agents": ["rule"], "seed": 0, "trials": 1, "limits": {}, "suite": {"name": "dev"}},
    "track": "semantic", "user": {"name": "scripted"}, "suite": {"name": "dev"}, "catalogues": {}, "stores": {},
    "rules": "0", "agents": ["rule"], "privileged": [], "n_episodes": 1, "metric_definition": "1",
}  # fmt: skip


def test_the_only_assistant_besides_the_reference_needs_no_name(make_run: Make) -> None:
    assert agent_of(make_run({"silent": [[0.0]], "a": [[0.5]]}), None) == "a"
    assert agent_of(make_run({"silent": [[0.0]]}), None) == "silent"
    with pytest.raises(ConfigError, match=r"several assistants; say which: .*:a, .*:b"):
        agent_of(make_run({"silent": [[0.0]], "a": [[0.5]], "b": [[0.5]]}), None)
    with pytest.raises(ConfigError, match="no assistant 'c'; it has silent, a"):
        agent_of(make_run({"silent": [[0.0]], "a": [[0.5]]}), "c")


def test_words_are_split_unless_the_directory_has_the_colon(tmp_path: Path) -> None:
    (tmp_path / "a:b").mkdir()
    assert split_word(str(tmp_path / "a:b")) == (tmp_path / "a:b", None)
    assert split_word(str(tmp_path / "a:b:rule")) == (tmp_path / "a:b", "rule")
    assert split_word("runs/x") == (Path("runs/x"), None)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"catalogues": {"c": "9"}}, "catalogues"),
        ({"stores": {"s": "9"}}, "stores"),
        ({"suite": {"name": "dev", "hash": "9"}}, "suite"),
        ({"track": "text"}, "track"),
        ({"user": {"name": "u", "version": "1", "hash": "9"}}, "user"),
        ({"metric_definition": "2"}, "metric_definition"),
        ({"rules": "9"}, "rules"),
        ({"config": {"seed": 0, "limits": {"max_turns": 9, "strikes": 3}}}, r"limits\.max_turns"),
    ],
)
def test_unlike_runs_are_refused_or_flagged(make_run: Make, change: dict[str, object], named: str) -> None:
    values = {"silent": [[0.0]], "a": [[0.5]]}
    both = [Side(make_run(values), "a"), Side(make_run(values, **change), "a")]
    with pytest.raises(ConfigError, match=f"cannot be compared:\n.*{named}"):
        check_alike(both)
    warnings = check_alike(both, force=True)
    assert len(warnings) == 1
    assert warnings[0].startswith("NOT COMPARABLE, forced")


def test_other_luck_and_unfinished_runs_are_said(make_run: Make) -> None:
    values = {"silent": [[0.0]], "a": [[0.5]]}
    other = {"seed": 1, "limits": {"max_turns": None, "strikes": 3}}
    notes = check_alike([Side(make_run(values), "a"), Side(make_run(values, config=other, n_episodes=9), "a")])
    assert any("not their luck" in note for note in notes)
    assert any("unfinished: 2 of 9" in note for note in notes)


def test_the_reference_comes_first_of_a_whole_run(tmp_path: Path) -> None:
    manifest = json.loads(json.dumps(WHOLE_MANIFEST)) | {"agents": ["rule", "silent"], "reference": "silent"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert whole_run(str(tmp_path)) == [f"{tmp_path}:silent", f"{tmp_path}:rule"]
    (tmp_path / "manifest.json").write_text("[]", encoding="utf-8")
    with pytest.raises(RunFolderError, match="not that of a run"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("schema", "supermarket.run/9", "schema: expected 'supermarket.run/1', got 'supermarket.run/9'"),
        ("config", None, "config: expected an object, got None"),
        ("config", {"limits": {}}, "config.agents is missing"),
        ("user", None, "user: expected an object, got None"),
        ("suite", "dev", "suite: expected an object, got 'dev'"),
        ("privileged", None, "privileged: expected a list, got None"),
        ("agents", [1], "agents.0: expected a string, got 1"),
        ("agents", [], "agents: List should have at least 1 item"),
        ("stores", [1], r"stores: expected an object, got \[1\]"),
        ("n_episodes", None, "n_episodes: expected an integer, got None"),
    ],
)
def test_a_manifest_of_another_form_is_refused_by_entry(tmp_path: Path, key: str, value: object, message: str) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({**WHOLE_MANIFEST, key: value}), encoding="utf-8")
    with pytest.raises(RunFolderError, match=message):
        read_manifest(tmp_path)


def test_a_manifest_too_deep_to_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(RunFolderError, match=r"manifest\.json \(maximum recursion"):
        read_manifest(tmp_path)
