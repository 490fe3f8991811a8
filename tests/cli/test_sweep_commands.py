"""Sweeps end to end: folders, episodes taken over, failures with their commands, collect, compare, plot, plan, view."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from supermarket_env.cli import main
from supermarket_env.events.log import read_log

Runner = Callable[..., tuple[object, str, str]]
SWEEP = ("run", "-m", "out=sw", "seed=0,1", "agents=[rule],[retrieval]", "suite.episodes=2", "run.workers=1",
         "run.compiled=false")  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sweep")


@pytest.fixture
def call(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(folder)

    def run(*words: str) -> tuple[object, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(words)
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


@pytest.fixture
def swept(call: Runner, folder: Path) -> Path:
    if not (folder / "sw").is_dir():
        code, out, err = call(*SWEEP)
        assert code == 0, err
        assert "sweep: 4 of 4 jobs finished; supermarket collect sw" in out
    return folder / "sw"


def read(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def timings(sweep: Path) -> Counter[tuple[str, str]]:
    """Count how often each episode of each seed was played."""
    counts: Counter[tuple[str, str]] = Counter()
    for file in sweep.glob("*/timings.jsonl"):
        seed = json.loads((file.parent / "manifest.json").read_text())["config"]["seed"]
        for line in file.read_text().splitlines():
            counts[str(seed), json.loads(line)["episode_id"]] += 1
    return counts


def test_nothing_is_played_twice_though_jobs_share_the_reference(swept: Path) -> None:
    counts = timings(swept)
    assert len(counts) == 2 * 3 * 2, "two seeds, three assistants (the reference is shared), two tasks"
    assert set(counts.values()) == {1}
    for run in swept.iterdir():
        assert len(read_log([run]).episodes) == 4


def test_added_values_in_another_order_play_only_what_is_new(call: Runner, swept: Path) -> None:
    before = timings(swept)
    code, out, err = call(*(w.replace("seed=0,1", "seed=2,1,0") for w in SWEEP))
    assert code == 0, err
    assert out.count("finished before") == 4
    fresh = timings(swept) - before
    assert {seed for seed, _ in fresh} == {"2"}
    assert set(fresh.values()) == {1}


def test_a_taken_over_episode_is_the_one_that_would_have_been_played(call: Runner, swept: Path, folder: Path) -> None:
    job = [*SWEEP[3:], "agents=[rule]", "seed=1"]
    words = [w for w in job if w not in ("seed=0,1", "agents=[rule],[retrieval]")]
    code, _, err = call("run", *words, "run.reuse=false", "out=alone")
    assert code == 0, err
    alone = (folder / "alone" / "episodes.jsonl").read_bytes()
    assert alone in {(run / "episodes.jsonl").read_bytes() for run in swept.iterdir()}


def test_a_dry_run_of_a_sweep_says_what_is_there_and_how_long(call: Runner, swept: Path) -> None:
    before = sorted(swept.iterdir())
    code, out, _ = call(*(w.replace("suite.episodes=2", "suite.episodes=3") for w in SWEEP), "run.dry_run=true")
    assert code == 0
    assert out.count("to play     2 episodes, 4 are there already\n") == 2
    assert out.count("to play     1 episodes, 4 are there already, 1 come from jobs before\n") == 2, "the reference"
    assert out.count("time        about") == 4
    assert "dry run of a sweep: 4 jobs, nothing played; to play: 6 episodes in about" in out
    assert sorted(swept.iterdir()) == before


def test_failed_jobs_are_listed_with_their_commands(call: Runner, folder: Path) -> None:
    blocked = ["run", "-m", "out=blocked", "seed=0,1", "agents=[silent]", "suite.episodes=1", "run.workers=1"]
    _, out, _ = call(*blocked, "run.dry_run=true")
    place = folder / next(line.split()[1] for line in out.splitlines() if line.startswith("directory"))
    place.mkdir(parents=True)
    (place / "somebody.txt").write_text("else's", encoding="utf-8")
    code, out, err = call(*blocked)
    assert code == 2
    assert "sweep: 1 of 2 jobs finished" in out
    assert "1 failed; each again by:\n  supermarket run" in err
    assert f"out=blocked/{place.name}" in err.replace("'", "")
    code, out, err = call(*blocked, "run.fail_fast=true")
    assert code == 2
    assert "sweep: 0 of 2 jobs finished" in out, "the first job is the one that fails"
    assert "1 failed; each again by:\n  supermarket run" in err
    assert "1 not begun; the same sweep again plays what is missing" in err
    assert not (folder / "blocked" / ".sweep").exists()


def test_jobs_that_come_to_the_same_run_count_each(call: Runner, folder: Path) -> None:
    code, out, err = call("run", "-m", "out=twice", "seed=0,0", "agents=[silent]", "suite.episodes=1", "run.workers=1",
                          "run.compiled=false")  # fmt: skip
    assert code == 0, err
    assert "sweep: 2 of 2 jobs finished" in out
    assert [place.name[:4] for place in (folder / "twice").iterdir()] == ["dev-"]


def test_collect_has_every_key_as_a_column(call: Runner, swept: Path) -> None:
    code, out, err = call("collect", "sw")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    keys = {
        "config.seed",
        "config.suite.episodes",
        "config.user.name",
        "NS_uplift",
        "NS_uplift_low",
        "n",
        "config_hash",
    }
    assert keys <= set(rows[0])
    # Every job has the trips of the reference beside its own; those of one seed are the same trips and count once.
    told = [line for line in err.splitlines() if line.endswith("counted once")]
    assert len(told) >= 2
    assert len(rows) + len(told) == 2 * len(list(swept.iterdir()))
    assert len([row for row in rows if row["agent"] == "silent"]) == len(
        {(row["config.seed"], row["config.suite.episodes"]) for row in rows}
    )
    code, out, _ = call("collect", "sw", "--out", "t.csv", "--all")
    assert "varied: config.agents, config.seed" in out
    code, _, err = call("collect", "sw", "--out", "t.xlsx")
    assert code == 2
    assert ".csv or .parquet" in err
    code, _, err = call("collect", "nowhere")
    assert code == 2


def test_parquet_holds_the_same_numbers(call: Runner, swept: Path, folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    call("collect", "sw", "--out", "t.csv")
    assert call("collect", "sw", "--out", "t.parquet")[0] == 0
    table = parquet.read_table(folder / "t.parquet").to_pylist()
    rows = read(folder / "t.csv")
    assert [row["n"] for row in table] == [int(row["n"]) for row in rows]
    assert [row["NS"] for row in table] == [float(row["NS"]) for row in rows]


def test_compare_plan_and_trials_print_and_write(call: Runner, swept: Path, folder: Path) -> None:
    runs = {}
    for run in swept.iterdir():
        config = json.loads((run / "manifest.json").read_text())["config"]
        if config["seed"] == 0:
            runs[config["agents"][0]] = f"sw/{run.name}"
    code, out, err = call("compare", runs["retrieval"], runs["rule"], "--out", "cmp")
    assert code == 0, err
    assert "## rule against retrieval" in out
    assert {
        "comparison.md",
        "comparison.json",
        "effects.csv",
        "flips.csv",
        "forest.png",
        "forest.svg",
        "forest.csv",
    } <= {file.name for file in (folder / "cmp").iterdir()}
    assert json.loads(call("compare", runs["rule"], "--json")[1])["comparisons"][0]["second"] == "rule"
    code, out, _ = call("plan", "--delta", "5", "--power", "0.8")
    assert (code, "626 tasks" in out, "| 1             | 503" in out) == (0, True, True)
    assert call("plan", "--delta", "0")[0] == 2
    assert "pass^k" in call("trials", runs["rule"])[1]


def test_view_prints_words_hints_and_truth_on_demand(call: Runner, swept: Path) -> None:
    run = next(run for run in swept.iterdir() if "rule" in (run / "manifest.json").read_text().split('"reference"')[0])
    episode = next(e.episode_id for e in read_log([run]).episodes if e.agent == "rule")
    _, plain, _ = call("view", str(run), episode)
    _, told, _ = call("view", str(run), episode, "--truth")
    assert "assistant [" in plain
    assert "did: " in plain
    assert "best cart" not in plain
    assert "best cart" in told
    code, _, err = call("view", str(run), episode + "x")
    assert code == 2
    assert episode in err


@pytest.mark.parametrize("kind", ["sr_vs_turn", "success", "cgv", "forest", "radar", "pareto", "floor", "pass_k"])
def test_every_kind_of_picture_has_a_twin_and_its_numbers(call: Runner, swept: Path, folder: Path, kind: str) -> None:
    run = sorted(swept.iterdir())[0]
    code, out, err = call("plot", str(run), "--kind", kind, "--out", f"p/{kind}.png")
    assert code == 0, err
    assert out.split() == [f"p/{kind}.png", f"p/{kind}.svg", f"p/{kind}.csv"]
    rows = read(folder / "p" / f"{kind}.csv")
    assert rows
    assert kind == "floor" or any(key.startswith("n") for key in rows[0]), "every figure comes with its n"


def test_heat_map_and_wrong_orders(call: Runner, swept: Path, folder: Path) -> None:
    assert call("plot", "sw", "--kind", "heatmap", "--out", "p/heat.svg")[1].split()[1] == "p/heat.png"
    rows = read(folder / "p" / "heat.csv")
    assert {row["agent"] for row in rows} == {"rule", "retrieval"}
    code, _, err = call("plot", "sw", "--kind", "heatmap", "--x", "sed", "--out", "p/h.png")
    assert code == 2
    assert "seed" in err
    code, _, err = call("plot", "sw", "--kind", "heatmaps", "--out", "p/h.png")
    assert "heatmap" in err
    assert call("plot", "sw", "--kind", "heatmap", "--out", "p/h.bmp")[0] == 2


def test_learning_curves(call: Runner, folder: Path) -> None:
    for seed in range(2):
        place = folder / f"train{seed}"
        place.mkdir()
        lines = [json.dumps({"steps": step, "satisfaction": 0.1 * step + seed}) for step in (1, 2)]
        (place / "progress.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert call("plot", "train0", "train1", "--kind", "learning", "--out", "p/learn.png")[0] == 0
    rows = read(folder / "p" / "learn.csv")
    assert [float(row["NS"]) for row in rows if row["training"] == "mean"] == pytest.approx([0.6, 0.7])
    assert call("plot", "sw", "--kind", "learning", "--out", "p/l.png")[0] == 2
