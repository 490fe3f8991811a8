"""Reading logs: what is refused, what is ignored and counted, and the order of events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import LogError
from supermarket_env.events.log import read_episodes, read_log, sort_events
from supermarket_env.events.types import EVENT_KINDS
from supermarket_env.events.validate import validate_episode

END = {"k": "end", "reason": "checkout"}


def episode(*events: Any, eid: str = "e", **more: Any) -> dict[str, Any]:
    return {"schema": "supermarket.episode/1", "episode_id": eid, "agent": "a", "events": list(events), **more}


def write(path: Path, *lines: Any, tail: str = "") -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(text + "\n" for text in texts) + tail, encoding="utf-8")
    return path


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in episode(END).items() if name != key}


BROKEN: dict[str, tuple[Any, str]] = {
    "not json": ("{broken", "not JSON"),
    "not an object": ("[1]", "expected an object"),
    "no schema": (without("schema"), "schema: missing"),
    "no id": (without("episode_id"), "episode_id: missing"),
    "no agent": (without("agent"), "agent: missing"),
    "no events": (without("events"), "events: missing"),
    "other schema": ({**episode(END), "schema": "x/1"}, "schema: expected"),
    "id is a number": ({**episode(END), "episode_id": 3}, "episode_id: expected a string"),
    "events no list": ({**episode(END), "events": {}}, "events: expected a list"),
    "event no object": (episode(3, END), r"events\[0\]: expected an object"),
    "no kind": (episode({"turn": 1}, END), r"events\[0\].k: missing"),
    "kind no string": (episode({"k": 1}, END), r"events\[0\].k: expected a string"),
    "turn missing": (episode({"k": "assistant"}, END), r"events\[0\].turn: .*missing"),
    "turn negative": (episode({"k": "user", "turn": -1}, END), r"turn: .*got -1"),
    "turn no integer": (episode({"k": "user", "turn": 1.5}, END), r"turn: .*got 1.5"),
    "turn a truth value": (episode({"k": "user", "turn": True}, END), r"turn: .*got True"),
    "turn a string": (episode({"k": "user", "turn": "1"}, END), r"turn: .*got '1'"),
    "step missing": (episode({"k": "obs", "visible": []}, END), r"step: .*missing"),
    "step negative": (episode({"k": "obs", "step": -2, "visible": []}, END), r"step: .*got -2"),
    "visible missing": (episode({"k": "obs", "step": 0}, END), r"visible: .*missing"),
    "visible of numbers": (episode({"k": "obs", "step": 0, "visible": [1]}, END), "visible: .*list of strings"),
    "items missing": (episode({"k": "recommend", "turn": 1}, END), "items: .*missing"),
    "items no list": (episode({"k": "recommend", "turn": 1, "items": "a"}, END), "items: .*list of strings"),
    "no action": (episode({"k": "suggest", "turn": 1}, END), "action: .*missing"),
    "action no type": (episode({"k": "suggest", "turn": 1, "action": {}}, END), "action: .*type"),
    "legal a word": (
        episode({"k": "suggest", "turn": 1, "action": {"type": "move"}, "legal": "yes"}, END),
        "legal: expected true or false",
    ),
    "user legal a number": (episode({"k": "user", "turn": 1, "legal": 1}, END), "legal: expected true or false"),
    "no target": (episode({"k": "goal", "turn": 1}, END), "target: .*missing"),
    "eligible null": (episode({"k": "goal", "turn": 1, "target": "s", "eligible": None}, END), "eligible: expected"),
    "no op": (episode({"k": "cart", "turn": 1, "sku": "a"}, END), "op: .*missing"),
    "unknown op": (episode({"k": "cart", "turn": 1, "op": "ad", "sku": "a"}, END), "Did you mean 'add'"),
    "no sku": (episode({"k": "cart", "turn": 1, "op": "add"}, END), "sku: add needs a product id"),
    "qty zero": (episode({"k": "cart", "turn": 1, "op": "add", "sku": "a", "qty": 0}, END), "qty: expected"),
    "qty half": (episode({"k": "cart", "turn": 1, "op": "add", "sku": "a", "qty": 0.5}, END), "qty: expected"),
    "below zero": (episode({"k": "cart", "turn": 1, "op": "remove", "sku": "a"}, END), "removes 1 of 'a'"),
    "stock without left": (episode({"k": "stock", "turn": 1, "sku": "a"}, END), "left: .*missing"),
    "reward a word": (episode({"k": "reward", "turn": 1, "value": "x"}, END), "value: .*finite number"),
    "reward infinite": (episode({"k": "reward", "turn": 1, "value": float("inf")}, END), "value: .*finite number"),
    "usage of nobody": (episode({"k": "usage", "turn": 1}, END), "who: .*missing"),
    "fault of no kind": (episode({"k": "fault", "turn": 1, "who": "user"}, END), "kind: .*missing"),
    "judge without dim": (episode({"k": "judge", "judge": "m", "score": 3}, END), "dim: .*missing"),
    "no end": (episode({"k": "user", "turn": 1}), "no end event"),
    "two ends": (episode(END, END), "more than one end"),
    "unknown reason": (episode({"k": "end", "reason": "chekout"}), "Did you mean 'checkout'"),
    "end in turn -1": (episode({"k": "end", "reason": "left", "turn": -1}), "turn: expected"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_refused_with_file_line_field_and_reason(name: str, tmp_path: Path) -> None:
    line, message = BROKEN[name]
    path = write(tmp_path / "log.jsonl", episode(END, eid="good"), line)
    with pytest.raises(LogError, match=message) as caught:
        read_log(path)
    assert str(caught.value).startswith(f"{path}, line 2, ")


@pytest.mark.parametrize("name", BROKEN)
def test_lenient_skips_and_says_so(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", BROKEN[name][0], episode(END, eid="good"))
    log = read_log(path, lenient=True)
    assert [e.episode_id for e in log.episodes] == ["good"]
    assert len(log.skipped) == 1


def test_minimal_line_and_defaults() -> None:
    read = validate_episode(episode({"k": "end", "reason": "quit"}))
    assert (read.reason, read.trial, read.user, read.task_id, read.truth) == ("left", 0, None, None, None)
    assert dict(read.nav_schema) == {"move": ("node",), "look": ("section",)}


def test_unknown_kinds_and_keys_are_kept_ignored_and_counted(tmp_path: Path) -> None:
    line = episode({"k": "dance", "turn": "x"}, {"k": "user", "turn": 1, "hat": 1}, END, colour="red")
    log = read_log(write(tmp_path / "log.jsonl", line))
    assert log.unknown_kinds == {"dance": 1}
    assert log.unknown_keys == {"user.hat": 1, "colour": 1}
    assert log.episodes[0].data["colour"] == "red"
    assert any(event["k"] == "dance" for event in log.episodes[0].events)


def test_wrong_optional_values_are_read_as_absent() -> None:
    odd = {"k": "user", "turn": 1, "action": 3, "would": "x", "reveals": 5}
    assert validate_episode(episode(odd, END)).events[0] == odd


def test_scores_that_are_no_rating_are_not_refused(tmp_path: Path) -> None:
    scores = [episode({"k": "judge", "judge": "m", "dim": "d", "score": s}, END, eid=str(s)) for s in (0, 3.5, None)]
    nan = episode({"k": "judge", "judge": "m", "dim": "d", "score": float("nan")}, END, eid="nan")
    missing = episode({"k": "judge", "judge": "m", "dim": "d"}, END, eid="missing")
    assert len(read_log(write(tmp_path / "log.jsonl", *scores, nan, missing)).episodes) == 5


def test_torn_last_line_is_ignored(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", episode(END, eid="1"), tail=json.dumps(episode(END, eid="2"))[:-9])
    log = read_log(path)
    assert (len(log.episodes), log.torn) == (1, 1)


def test_torn_inside_a_character_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes('{"schema": "supermarket.episode/1", "agent": "é'.encode()[:-1])
    assert read_log(path).torn == 1


def test_whole_last_line_without_line_end_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", tail=json.dumps(episode(END)))
    assert len(read_log(path).episodes) == 1


def test_broken_line_with_line_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="line 1, line: not JSON"):
        read_log(write(tmp_path / "log.jsonl", '{"schema": '))


def test_empty_file_is_a_log_of_no_episodes(tmp_path: Path) -> None:
    assert read_log(write(tmp_path / "log.jsonl")).episodes == []


def test_duplicates_within_a_file(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / "same.jsonl", episode(END), episode(END)))
    assert (len(log.episodes), log.duplicates) == (1, 1)
    other = episode({"k": "user", "turn": 1}, END)
    with pytest.raises(LogError, match="line 2, episode_id: duplicate 'e' that differs from line 1"):
        read_log(write(tmp_path / "other.jsonl", episode(END), other))


def test_several_paths_are_units_of_their_own(tmp_path: Path) -> None:
    one, two = write(tmp_path / "1.jsonl", episode(END)), write(tmp_path / "2.jsonl", episode(END))
    assert len(read_log([one, two]).episodes) == 2


def test_run_directory_prefers_the_merged_file(tmp_path: Path) -> None:
    write(tmp_path / "episodes-1.jsonl", episode(END, eid="1"))
    write(tmp_path / "episodes-0.jsonl", episode(END, eid="0"))
    assert [e.episode_id for e in read_episodes(tmp_path)] == ["0", "1"]
    write(tmp_path / "episodes.jsonl", episode(END, eid="merged"))
    assert [e.episode_id for e in read_episodes(tmp_path)] == ["merged"]


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="expected a run directory"):
        read_log(tmp_path)
    with pytest.raises(LogError, match="no such file"):
        read_log(tmp_path / "absent.jsonl")


def test_later_scores_are_merged(tmp_path: Path) -> None:
    write(tmp_path / "episodes.jsonl", episode({"k": "user", "turn": 1}, END))
    rating = {"k": "judge", "judge": "m", "dim": "naturalness", "score": 4}
    scores = tmp_path / "scores"
    scores.mkdir()
    score = {"episode_id": "e", "events": [rating], "values": {"x": 1}}
    write(scores / "style@1.jsonl", score, {"episode_id": "other", "events": []})
    log = read_log(tmp_path)
    assert [event["k"] for event in log.episodes[0].events] == ["user", "judge", "end"]
    assert log.episodes[0].values == {"style@1": {"x": 1}}
    assert log.episodes[0].data["events"][-1] == END
    assert log.unmatched_scores == 1
    write(scores / "bad@1.jsonl", {"episode_id": "e", "events": [{"k": "judge"}]})
    with pytest.raises(LogError, match=r"bad@1\.jsonl, line 1, "):
        read_log(tmp_path)


def test_reading_order() -> None:
    mixed: list[dict[str, Any]] = [
        {"k": "end", "reason": "left"},
        {"k": "judge", "judge": "m", "dim": "d", "score": 1},
        {"k": "obs", "step": 1, "visible": []},
        {"k": "cart", "turn": 1, "op": "add", "sku": "a"},
        {"k": "user", "turn": 1},
        {"k": "assistant", "turn": 2},
        {"k": "assistant", "turn": 1},
        {"k": "user", "turn": 0},
        {"k": "obs", "step": 0, "visible": []},
    ]
    order = [(e["k"], e.get("turn", e.get("step"))) for e in sort_events(mixed)]
    assert order == [
        ("obs", 0),
        ("user", 0),
        ("assistant", 1),
        ("user", 1),
        ("cart", 1),
        ("obs", 1),
        ("assistant", 2),
        ("judge", None),
        ("end", None),
    ]
    assert validate_episode(episode(*mixed)).events == sort_events(mixed)


def test_phases_follow_the_turn() -> None:
    turn = ["assistant", "recommend", "suggest", "goal", "user", "cart", "stock", "reward", "usage", "fault", "obs"]
    assert sorted(turn, key=lambda name: EVENT_KINDS[name].phase) == turn


def test_cart_is_checked_in_reading_order() -> None:
    take = {"k": "cart", "turn": 2, "op": "remove", "sku": "a"}
    put = {"k": "cart", "turn": 1, "op": "add", "sku": "a"}
    assert len(validate_episode(episode(take, put, END)).events) == 3
    with pytest.raises(LogError, match="cart holds 0"):
        validate_episode(episode(put, {"k": "cart", "turn": 1, "op": "clear"}, take, END))
