"""Writing logs: canonical lines, the recorder, hooks."""

from __future__ import annotations

import copy
import enum
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.errors import ConfigError, LogError
from supermarket_env.events.episode import Episode, Event
from supermarket_env.events.hooks import Hook, HookSet, has_step_hooks
from supermarket_env.events.log import canonical, encode_episode, finish_episode, read_log
from supermarket_env.events.recorder import Recorder, mend_tail


def line(eid: str = "e", **more: Any) -> dict[str, Any]:
    events = [{"k": "user", "turn": 1, "path_m": 0.1 + 0.2}, {"k": "end", "reason": "left"}]
    return {"schema": "supermarket.episode/1", "episode_id": eid, "agent": "a", "events": events, **more}


def test_one_canonical_line() -> None:
    raw = encode_episode(line())
    assert raw.endswith(b"}\n")
    assert raw.count(b"\n") == 1
    assert b'"path_m":0.3}' in raw
    assert list(json.loads(raw)) == ["schema", "episode_id", "agent", "events"]
    assert encode_episode(json.loads(raw)) == raw
    assert encode_episode(finish_episode(line())) == raw


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), {1: 2}, {1, 2}, b"x"])
def test_values_without_a_json_form_are_refused(value: Any) -> None:
    with pytest.raises(LogError):
        encode_episode(line(extra=value))


def test_numpy_enums_and_tuples_become_plain() -> None:
    class Mood(enum.StrEnum):
        GLAD = "glad"

    value = {"a": np.float32(0.1), "b": np.int64(3), "c": (Mood.GLAD, np.bool_(True)), "d": -0.0}
    assert json.dumps(canonical(value)) == '{"a": 0.100000001, "b": 3, "c": ["glad", true], "d": 0.0}'


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_nine_digits_and_rounding_is_idempotent(value: float) -> None:
    short = canonical(value)
    assert canonical(short) == short
    assert math.isclose(short, value, rel_tol=5.1e-9, abs_tol=1e-300)
    assert len(f"{short:.17e}".split("e")[0].rstrip("0").replace("-", "").replace(".", "")) >= 1
    assert float(f"{short:.9g}") == short


def test_recorder_appends_and_mends(tmp_path: Path) -> None:
    path = tmp_path / "run" / "episodes.jsonl"
    with Recorder(path) as recorder:
        recorder.on_episode_end(finish_episode(line("1")))
        # Flushed: readable while the recorder is open.
        assert [e.episode_id for e in read_log(path).episodes] == ["1"]
    with path.open("ab") as stream:
        stream.write(b'{"schema": "superm')
    with Recorder(path) as recorder:
        recorder.on_episode_end(finish_episode(line("2")))
    assert [e.episode_id for e in read_log(path).episodes] == ["1", "2"]
    with pytest.raises(LogError, match="closed"):
        recorder.on_episode_end(finish_episode(line("3")))


def test_mend_tail(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    assert mend_tail(path) == 0
    whole = encode_episode(line())
    path.write_bytes(whole + whole[:-1])
    assert mend_tail(path) == 0
    assert path.read_bytes() == whole + whole
    path.write_bytes(whole + b"x" * 200_000)
    assert mend_tail(path) == 200_000
    assert path.read_bytes() == whole
    path.write_bytes(b"{")
    assert mend_tail(path) == 1
    assert path.read_bytes() == b""


class Watcher(Hook):
    """Writes down which calls it got."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def on_episode_start(self, view: Any) -> None:
        self.calls.append("start")

    def on_recommend(self, event: Event) -> None:
        self.calls.append("recommend")

    def on_navigate(self, event: Event) -> None:
        self.calls.append("navigate")

    def on_step(self, event: Event) -> None:
        self.calls.append(f"step {event['k']}")

    def on_episode_end(self, episode: Episode) -> None:
        self.calls.append("end")


def test_hooks_get_what_they_listen_to() -> None:
    watcher = Watcher()
    hooks = HookSet([Hook(), watcher])
    assert hooks.has_step_hooks
    hooks.episode_start(None)
    hooks.event({"k": "recommend", "turn": 1, "items": []})
    hooks.event({"k": "suggest", "turn": 1, "action": {"type": "add"}})
    hooks.event({"k": "suggest", "turn": 1, "action": {"type": "move"}}, navigation=True)
    hooks.event({"k": "goal", "turn": 1, "target": "s"})
    hooks.episode_end(finish_episode(line()))
    assert watcher.calls == [
        "start",
        "recommend",
        "step recommend",
        "step suggest",
        "navigate",
        "step suggest",
        "navigate",
        "step goal",
        "end",
    ]


def test_no_step_hooks_no_cost(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log.jsonl") as recorder:
        assert not HookSet([recorder, Hook()]).has_step_hooks
        assert not has_step_hooks([recorder])
    assert not HookSet()
    with pytest.raises(ConfigError, match="got int"):
        HookSet([3])  # type: ignore[list-item]


def test_an_open_recorder_is_neither_pickled_nor_copied(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "log.jsonl")
    for twin in (pickle.dumps, copy.deepcopy):
        with pytest.raises(LogError, match="an open recorder cannot be pickled or copied"):
            twin(recorder)
    recorder.close()
    assert pickle.loads(pickle.dumps(recorder)).path == recorder.path


def test_a_file_that_never_was_a_log_is_no_log_without_episodes(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for raw in (bytes(1000), b"not a log", b"\x1f\x8b\x08"):
        path.write_bytes(raw)
        with pytest.raises(LogError, match="line 1, line: not JSON"):
            read_log(path)
    path.write_bytes(b'{"schema_vers')  # a write that was cut off is one
    assert (read_log(path).episodes, read_log(path).torn) == ([], 1)
