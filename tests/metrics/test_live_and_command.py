"""Live figures against recomputed ones, groups, intervals and the command line."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from supermarket_env.cli.metrics import metrics, metrics_json, parse_horizons
from supermarket_env.errors import ConfigError
from supermarket_env.events.log import finish_episode, read_log
from supermarket_env.events.recorder import Recorder
from supermarket_env.metrics import MetricsHook, StreamingMetrics, compute, grouped


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"live_tests_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


logs = _load("random_logs")
app = typer.Typer()
app.command()(metrics)
runner = CliRunner()


def unrounded(line: dict[str, Any]) -> dict[str, Any]:
    """Give the line floats that do not survive writing."""
    line["events"][-1]["walked_m"] = 100 / 3
    if "truth" in line:
        line["truth"]["U_star"] = line["truth"]["U_star"] + 1e-12
        line["truth"]["budget"] = 2 / 3
    return line


@pytest.fixture
def run(tmp_path: Path) -> tuple[Path, MetricsHook]:
    hook = MetricsHook()
    with Recorder(tmp_path / "episodes.jsonl") as recorder:
        for line in logs.random_lines(5, tasks=12, agents=("silent", "rule", "spam")):
            episode = finish_episode(unrounded(line))
            hook.on_episode_end(episode)
            recorder.on_episode_end(episode)
    return tmp_path, hook


def test_live_equals_recomputed_to_the_last_bit(run: tuple[Path, MetricsHook]) -> None:
    folder, hook = run
    read = read_log(folder).episodes
    assert json.dumps(hook.result()) == json.dumps(compute(read))
    live = json.dumps(hook.result(by=("agent",), intervals=True))
    assert live == json.dumps(grouped(list(reversed(read)), ("agent",), intervals=True))
    assert live + "\n" == metrics_json([folder], by=("agent",), intervals=True)


def test_command_prints_one_json_object(run: tuple[Path, MetricsHook]) -> None:
    folder, _ = run
    result = runner.invoke(app, [str(folder), "--json", "--by", "agent", "--intervals", "--horizons", "0,3"])
    assert result.exit_code == 0, result.output
    out = json.loads(result.stdout)
    assert [group["agent"] for group in out["groups"]] == ["rule", "silent", "spam"]
    assert list(out["groups"][0]["CGV"]) == ["0", "3", "End"]
    assert result.stdout == metrics_json([folder], ("agent",), True, (0, 3))


def test_groups_cross_and_missing_values(run: tuple[Path, MetricsHook]) -> None:
    folder, hook = run
    groups = hook.result(by=("agent", "stratum"))["groups"]
    assert [(g["agent"], g["stratum"]) for g in groups][:2] == [("rule", "fill_in"), ("rule", "quick")]
    assert sum(g["n"] + g["n_infra"] for g in groups) == len(read_log(folder).episodes)
    bare = {
        "schema": "supermarket.episode/1",
        "episode_id": "e",
        "agent": "a",
        "events": [{"k": "end", "reason": "left"}],
    }
    assert grouped([bare], ("store",))["groups"][0]["store"] is None


def walk(value: Any, bounds: Any, name: str = "") -> int:
    """Check low <= value <= high for everything that has an interval; return how many."""
    if isinstance(bounds, dict):
        return sum(
            walk(value.get(key) if isinstance(value, dict) else None, b, f"{name}.{key}") for key, b in bounds.items()
        )
    if bounds is None or value is None:
        return 0
    if isinstance(bounds[0], list):
        return sum(walk(v, b, f"{name}[{i}]") for i, (v, b) in enumerate(zip(value, bounds, strict=True)))
    value = value["mean"] if isinstance(value, dict) else value
    assert bounds[0] - 1e-9 <= value <= bounds[1] + 1e-9, (name, value, bounds)
    return 1


def test_intervals_hold_their_figures(run: tuple[Path, MetricsHook]) -> None:
    _, hook = run
    for group in hook.result(by=("agent",), intervals=True)["groups"]:
        assert walk({**group["beyond"], **group}, group["intervals"]) > 40


def test_wilson_with_one_trial_a_task_else_bootstrap() -> None:
    def line(task: int, trial: int, paid: bool) -> dict[str, Any]:
        add = [{"k": "cart", "turn": 1, "op": "add", "sku": "a"}] if paid else []
        events = [{"k": "assistant", "turn": 1}, *add, {"k": "end", "reason": "checkout"}]
        return {
            "schema": "supermarket.episode/1",
            "episode_id": f"{task}|{trial}",
            "agent": "a",
            "task_id": str(task),
            "trial": trial,
            "events": events,
        }

    single = grouped([line(i, 0, i < 7) for i in range(10)], (), intervals=True)["intervals"]
    assert single["SR"] == pytest.approx([39.6778147, 89.2208733], abs=1e-6)
    assert single["SR(t)"][1] == single["SR"]
    every = grouped([line(i, 0, True) for i in range(10)], (), intervals=True)["intervals"]
    assert every["SR"][0] < 100.0 == every["SR"][1]
    several = grouped([line(i // 2, i % 2, True) for i in range(10)], (), intervals=True)["intervals"]
    five = grouped([line(i, 0, True) for i in range(5)], (), intervals=True)["intervals"]
    assert several["SR"] == five["SR"], "the trials of a task say nothing of other tasks: five tasks, not ten"
    assert several["SR(t)"][1] == several["SR"]


def test_null_resamples_are_counted() -> None:
    suggested: dict[str, Any] = {"k": "suggest", "turn": 1, "action": {"type": "move"}}
    moved = {"k": "user", "turn": 1, "action": {"type": "move"}}
    base: dict[str, Any] = {"schema": "supermarket.episode/1", "agent": "a"}
    end = {"k": "end", "reason": "left"}
    lines = [
        {**base, "episode_id": "1", "events": [suggested, moved, end]},
        *({**base, "episode_id": str(k), "events": [end]} for k in range(2, 21)),
    ]
    out = grouped(lines, (), intervals=True)
    assert out["intervals"]["AFR"] == [1.0, 1.0]
    assert 3000 < out["null_resamples"]["AFR"] < 4200, "20 draws of 20 miss one task in (19/20)^20 = 36 %"


def test_empty_file_gives_nulls(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("", encoding="utf-8")
    result = runner.invoke(app, [str(tmp_path / "log.jsonl"), "--json", "--intervals"])
    assert result.exit_code == 0
    out = json.loads(result.stdout)
    assert (out["n"], out["SR"], out["intervals"]["SR"]) == (0, None, None)


@pytest.mark.parametrize(
    "arguments",
    [
        ["{log}", "--json"],
        ["{log}"],
        ["{good}", "--by", "agnet"],
        ["{good}", "--horizons", "0,-1"],
        ["absent", "--json"],
    ],
)
def test_refusals_print_nothing_and_exit_with_2(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{broken\n", encoding="utf-8")
    (tmp_path / "good.jsonl").write_text("", encoding="utf-8")
    paths = {"log": str(tmp_path / "bad.jsonl"), "good": str(tmp_path / "good.jsonl")}
    result = runner.invoke(app, [argument.format(**paths) for argument in arguments])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr


def test_lenient_says_how_many(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("{broken\n[]\n", encoding="utf-8")
    result = runner.invoke(app, [str(tmp_path / "log.jsonl"), "--json", "--lenient"])
    assert result.exit_code == 0
    assert "skipped 2 lines" in result.stderr
    assert json.loads(result.stdout)["n"] == 0


def test_table_for_people(run: tuple[Path, MetricsHook]) -> None:
    folder, _ = run
    result = runner.invoke(app, [str(folder), "--by", "agent"])
    assert result.exit_code == 0
    assert "rule" in result.stdout
    assert "NS uplift" in result.stdout


def test_horizons_option() -> None:
    assert parse_horizons("0, 2,2,1") == (0, 2, 1)
    with pytest.raises(ConfigError):
        parse_horizons("a")


def test_the_same_episode_in_two_paths_counts_once(run: tuple[Path, MetricsHook], tmp_path: Path) -> None:
    folder, _ = run
    file = folder / "episodes.jsonl"
    once = json.loads(runner.invoke(app, [str(folder), "--json"]).stdout)
    for paths in ([folder, folder], [file, folder], [folder, file, folder]):
        result = runner.invoke(app, [*map(str, paths), "--json"])
        assert json.loads(result.stdout) == once
        assert "repeated lines: the same episode, counted once" in result.stderr
    other = tmp_path / "other.jsonl"
    line = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
    other.write_text(json.dumps({**line, "trial": 7}) + "\n", encoding="utf-8")
    both = json.loads(runner.invoke(app, [str(folder), str(other), "--json"]).stdout)
    assert both["n"] + both["n_infra"] == once["n"] + once["n_infra"] + 1, "an id of another run is no repeat"


def test_of_two_equal_lines_the_one_with_scores_stays(run: tuple[Path, MetricsHook], tmp_path: Path) -> None:
    folder, _ = run
    bare = tmp_path / "bare.jsonl"
    bare.write_bytes((folder / "episodes.jsonl").read_bytes())
    name = read_log(folder).episodes[0].episode_id
    (folder / "scores").mkdir()
    event = {"k": "judge", "judge": "j@1", "dim": "politeness", "score": 4}
    score = {"episode_id": name, "events": [event], "values": {"impl": "j@1", "scores": []}}
    (folder / "scores" / "j@1.jsonl").write_text(json.dumps(score) + "\n", encoding="utf-8")
    for paths in ([bare, folder], [folder, bare]):
        found = json.loads(runner.invoke(app, [*map(str, paths), "--json"]).stdout)
        assert found["judge"]["politeness"]["n"] == 1


def test_tolerance_of_parameters_can_be_asked_for(tmp_path: Path) -> None:
    def turn(kind: str, key: str, degrees: int) -> dict[str, Any]:
        return {"k": kind, "turn": 1, key: {"type": "turn", "params": {"deg": degrees}}}

    line = {
        "schema": "supermarket.episode/1",
        "episode_id": "e",
        "agent": "a",
        "nav_schema": {"turn": ["deg"]},
        "events": [turn("suggest", "action", 90), turn("user", "action", 85), {"k": "end", "reason": "left"}],
    }
    (tmp_path / "log.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")

    def lnsr(*words: str) -> Any:
        return json.loads(runner.invoke(app, [str(tmp_path / "log.jsonl"), "--json", *words]).stdout)["LNSR"]

    assert (lnsr(), lnsr("--tolerance", "10")) == (0.0, 1.0)
    assert runner.invoke(app, [str(tmp_path / "log.jsonl"), "--tolerance", "-1"]).exit_code == 2


def test_streamed_figures_are_those_of_any_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings, the most frequent action and R@5 by cart size included; only what needs all rows is absent."""
    monkeypatch.setattr("supermarket_env.metrics.stream.ROWS_AT_ONCE", 3)
    for seed in range(6):
        stream = StreamingMetrics()
        episodes = [finish_episode(line) for line in logs.random_lines(seed, tasks=6, agents=("rule", "spam"))]
        for episode in episodes:
            stream.on_episode_end(episode)
        found, expected = stream.result(), compute(episodes)
        expected |= expected.pop("beyond")
        assert json.dumps(found) == json.dumps({name: expected[name] for name in found})
        assert found["judge_by"]
        new = {"AFR_majority", "redundant_questions", "groundedness_errors", "R@5_by_cart_size", "judge"}
        assert new <= found.keys()


def test_the_worst_segment_is_a_part_and_not_the_whole() -> None:
    def line(task: int, stratum: str, served: float) -> dict[str, Any]:
        need = {"id": "0", "qty": 1, "weight": 1.0, "outside": 0.0, "attributes": []}
        truth = {
            "U_star": 1.0, "utility": {"0": {"p": served}}, "acceptable": {"0": ["p"]}, "violates": {}, "needs": [need]
        }  # fmt: skip
        events = [{"k": "cart", "turn": 1, "op": "add", "sku": "p"}, {"k": "end", "reason": "checkout"}]
        return {
            "schema": "supermarket.episode/1", "episode_id": f"{task}", "agent": "a", "store": "s", "user": "u",
            "stratum": stratum, "events": events, "truth": truth,
        }  # fmt: skip

    alike = [line(n, "quick", 0.5) for n in range(25)]
    assert compute(alike)["beyond"]["worst_segment"] is None
    mixed = [line(n, "quick" if n < 25 else "fill_in", 0.9 if n < 25 else 0.2) for n in range(30)]
    assert compute(mixed)["beyond"]["worst_segment"]["value"] == "quick", "five trips are too few to name"


def test_lists_that_repeat_a_product_are_counted() -> None:
    shown = [{"k": "recommend", "turn": t, "items": items} for t, items in ((1, ["a", "a"]), (2, ["a", "b"]))]
    parts = [{"k": "recommend", "turn": 3, "items": [name]} for name in ("c", "c")]
    line = {
        "schema": "supermarket.episode/1",
        "episode_id": "e",
        "agent": "a",
        "events": [*shown, *parts, {"k": "end", "reason": "left"}],
    }
    found = compute([line])
    assert (found["n_lists"], found["n_lists_with_repeats"]) == (3, 2)
