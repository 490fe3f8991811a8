"""The main job through its command: files, table, resume, workers, hostile assistants, exit codes."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.cli import main
from supermarket_env.events.log import read_log

COMMAND = str(Path(sys.executable).parent / "supermarket")
SMALL = ("agents=[silent,rule,oracle]", "suite.episodes=6")


class Outcome:
    """Exit code and what was printed."""

    def __init__(self, code: object, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


Runner = Callable[..., Outcome]


@pytest.fixture
def supermarket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run the command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))

    def call(*words: str) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(words)
        captured = capsys.readouterr()
        return Outcome(stop.value.code, captured.out, captured.err)

    return call


def digest(folder: Path) -> str:
    return hashlib.sha256((folder / "episodes.jsonl").read_bytes()).hexdigest()


def test_a_run_leaves_every_file_and_prints_the_table(supermarket: Runner, tmp_path: Path) -> None:
    first = supermarket("run", *SMALL)
    assert first.code == 0, first.err
    (folder,) = (tmp_path / "runs").iterdir()
    assert re.fullmatch(r"dev-[0-9a-f]{8}", folder.name)
    assert {path.name for path in folder.iterdir()} == {
        ".lock", "episodes.jsonl", "manifest.json", "metrics.json", "sr_vs_turn.png", "summary.csv", "timings.jsonl"
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]
    for word in (
        "18 episodes played",
        folder.name,
        "oracle*",
        "NS_uplift",
        "(suites v1)",
        "told the hidden truth",
    ):
        assert word in first.out
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["config_hash"].startswith(folder.name[-8:])
    assert manifest["privileged"] == ["oracle"]
    again = supermarket("run", *SMALL)
    assert again.code == 0
    assert "finished before: all 18 episodes were there" in again.out
    assert again.out.partition("\n\n")[2] == first.out.partition("\n\n")[2]
    printed = supermarket("metrics", str(folder), "--json", "--by", "agent", "--intervals")
    assert printed.out == (folder / "metrics.json").read_text()


def test_all_assistants_meet_the_same_user(supermarket: Runner, tmp_path: Path) -> None:
    assert supermarket("run", *SMALL, "out=here").code == 0
    seeds: dict[str, set[Any]] = {}
    openings: dict[str, set[str]] = {}
    for episode in read_log([tmp_path / "here"]).episodes:
        data = episode.data
        seeds.setdefault(data["task_id"], set()).add(data["seed"])
        opening = next(event for event in data["events"] if event["k"] == "user" and event["turn"] == 0)
        openings.setdefault(data["task_id"], set()).add(opening["text"])
    assert {len(found) for found in seeds.values()} == {1}
    assert {len(found) for found in openings.values()} == {1}


def test_workers_and_rule_books_give_the_same_bytes(tmp_path: Path) -> None:
    variants: dict[str, tuple[list[str], dict[str, str]]] = {
        "one": (["run.workers=1"], {}),
        "four": (["run.workers=4"], {}),
        "plain": (["run.workers=2"], {"NUMBA_DISABLE_JIT": "1"}),
        "never": (["run.workers=1", "run.compiled=false"], {}),
    }
    if find_spec("numba") is not None:
        variants["compiled"] = (["run.workers=2", "run.compiled=true"], {})
    found = set()
    for name, (words, extra) in variants.items():
        subprocess.run(
            [COMMAND, "run", *SMALL, *words, f"out={name}"],
            cwd=tmp_path, env=os.environ | extra, check=True, capture_output=True,
        )  # fmt: skip
        found.add(digest(tmp_path / name))
    assert len(found) == 1


def test_the_reference_is_played_in_a_group_of_its_own(supermarket: Runner, tmp_path: Path) -> None:
    assert supermarket("run", "agents=[rule]", "suite.episodes=3", "out=a").code == 0
    groups = json.loads((tmp_path / "a" / "metrics.json").read_text())["groups"]
    assert [group["agent"] for group in groups] == ["rule", "silent"]
    assert groups[0]["beyond"]["NS_uplift"] is not None
    without = supermarket("run", "agents=[rule]", "suite.episodes=3", "reference=null", "out=b")
    assert "NS_uplift n/a for rule" in without.out


def test_trials_have_seeds_of_their_own(supermarket: Runner, tmp_path: Path) -> None:
    assert supermarket("run", "agents=[silent]", "suite.episodes=2", "trials=3", "out=a").code == 0
    seeds = {episode.data["seed"] for episode in read_log([tmp_path / "a"]).episodes}
    assert len(seeds) == 6


def test_kill_and_resume_gives_the_same_bytes(tmp_path: Path) -> None:
    words = [COMMAND, "run", "agents=[retrieval,rule]", "suite.episodes=30"]
    subprocess.run([*words, "out=whole"], cwd=tmp_path, check=True, capture_output=True)
    for key in range(2):
        out = tmp_path / f"killed-{key}"
        process = subprocess.Popen(
            [*words, f"out={out.name}", "run.workers=2"],
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not any(path.stat().st_size for path in out.glob("episodes-*.jsonl")):
            time.sleep(0.005)
        time.sleep(random.Random(key).uniform(0.0, 0.05))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        subprocess.run([*words, f"out={out.name}"], cwd=tmp_path, check=True, capture_output=True)
        assert digest(out) == digest(tmp_path / "whole")


HOSTILE = (
    "Raises", "RaisesAtStart", "Exits", "NotANumber", "Megabyte", "ControlCharacters", "UnknownIds", "ElevenItems",
    "Nothing",
)  # fmt: skip


def test_hostile_assistants_are_counted_and_do_not_stop_the_run(supermarket: Runner, tmp_path: Path) -> None:
    agents = ",".join(f"{{name:{name},_target_:hostile_agents.{name}}}" for name in HOSTILE)
    done = supermarket("run", f"agents=[{agents}]", "suite.episodes=2", "out=a")
    assert done.code == 0, done.err
    faults: Counter[str] = Counter()
    reasons: dict[str, set[str]] = {}
    for episode in read_log([tmp_path / "a"]).episodes:
        faults[episode.agent] += sum(event["k"] == "fault" for event in episode.data["events"])
        reasons.setdefault(episode.agent, set()).add(str(episode.reason))
    assert faults["silent"] == 0
    for name in HOSTILE:
        assert faults[name] > 0, name
        assert "infra_error" not in reasons[name], name
    for name in ("Raises", "RaisesAtStart", "Exits", "Nothing"):
        assert reasons[name] == {"assistant_error"}


def test_a_hanging_assistant_is_stopped(supermarket: Runner, tmp_path: Path) -> None:
    done = supermarket(
        "run", "agents=[{name:hangs,_target_:hostile_agents.Hangs}]", "suite.episodes=1",
        "limits.reply_timeout_s=0.05", "limits.strikes=2", "reference=null", "out=a",
    )  # fmt: skip
    assert done.code == 0
    (episode,) = read_log([tmp_path / "a"]).episodes
    assert episode.reason == "assistant_error"
    assert [event["kind"] for event in episode.data["events"] if event["k"] == "fault"] == ["timeout"] * 2


def test_a_multirun_makes_a_folder_per_job(supermarket: Runner, tmp_path: Path) -> None:
    done = supermarket("run", "-m", "seed=1,2", "agents=[silent]", "suite.episodes=2")
    assert done.code == 0, done.err
    folders = [path for path in (tmp_path / "runs").iterdir() if path.name.startswith("dev-")]
    assert {json.loads((path / "manifest.json").read_text())["config"]["seed"] for path in folders} == {1, 2}


def test_a_dry_run_plays_nothing(supermarket: Runner, tmp_path: Path) -> None:
    done = supermarket("run", *SMALL, "run.dry_run=true")
    assert done.code == 0
    assert "dry run: 18 episodes = 3 assistants x 6 tasks x 1 trials" in done.out
    assert list(tmp_path.iterdir()) == []


class OwnScorer:
    """A scorer that must not be called."""

    name, version = "mine", "1"

    def score(self, episode: object) -> None:
        raise AssertionError("called in a dry run")


def test_a_dry_run_counts_the_time_of_the_scorers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from supermarket_env.cli.dry_run import PROBES, estimate
    from supermarket_env.run.build import build_plan
    from supermarket_env.run.config import RunConfig
    from supermarket_env.scorers import sheets

    scored = []
    monkeypatch.setattr(sheets, "score_episode", lambda scorer, episode: scored.append(scorer.name))
    data = {
        "agents": ["silent"],
        "suite": {"name": "dev", "episodes": PROBES},
        "run": {"workers": 1, "compiled": False},
    }
    assert estimate(build_plan(RunConfig.parse(data))) is not None
    assert not scored
    assert estimate(build_plan(RunConfig.parse({**data, "scorers": ["judge", "grade"]}))) is not None
    assert scored == ["judge", "grade"] * (PROBES + 1), "the first episode is played once more, to build what is kept"
    own = {"name": "mine", "_target_": f"{__name__}.OwnScorer"}
    assert estimate(build_plan(RunConfig.parse({**data, "scorers": [own]}))) is None, "own scorers are not called"


def test_content_without_a_file_is_given_by_name(supermarket: Runner) -> None:
    done = supermarket("run", "store=generated:12")
    assert done.code == 2
    assert "is given by name: store.name=generated:12" in done.err


def test_the_text_track_and_other_limits_run(supermarket: Runner, tmp_path: Path) -> None:
    words = ("track=text", "limits.max_turns=4", "agents=[retrieval]", "suite.episodes=2", "out=a")
    assert supermarket("run", *words).code == 0
    for episode in read_log([tmp_path / "a"]).episodes:
        assert episode.data["track"] == "text"
        assert max(event.get("turn", 0) for event in episode.data["events"]) <= 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("agents=[ruel]", "unknown assistant 'ruel'; valid: .* Did you mean 'rule'"),
        ("stor=hyper", "unknown configuration key 'stor'; .* Did you mean 'store'"),
        ("store=hypr", "unknown store 'hypr'; .* Did you mean 'hyper'"),
        ("store.name=hypr", "hypr.*hyper"),
        ("suite.name=devv", "devv.*dev"),
        ("catalogue.name=embeded", "embeded.*embedded"),
        ("user.trats.trust=1", r"unknown key 'user\.trats'; .* Did you mean 'user.traits'"),
        ("user.traits.trst=1", "unknown trait 'trst'; .* Did you mean 'trust'"),
        (
            "user.mechanisms.u_tast=1",
            r"unknown key 'user\.mechanisms\.u_tast'; .* Did you mean 'user.mechanisms.u_taste'",
        ),
        ("agents=[{name:rule,_target_:hostile_agents.Raises}]", "'rule' is the name of a shipped assistant"),
        ("agents=[{name:x,_target_:no_such_module.X}]", "'x' .no_such_module.X. cannot be built"),
        ("agents=[{name:x,_target_:hostile_agents.CannotBuild}]", "cannot be built: OSError: model file missing"),
        ("agents=[{name:x,_target_:hostile_agents.NoMethods}]", "missing reply, start"),
        ("-m seed=1,2 agents=[rule],[ruel]", "unknown assistant 'ruel'"),
    ],
)
def test_mistakes_stop_before_the_first_episode(supermarket: Runner, tmp_path: Path, words: str, message: str) -> None:
    done = supermarket("run", *words.split())
    assert done.code == 2
    assert done.out == ""
    assert re.search(message, done.err), done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


def test_another_run_in_the_folder_is_refused(supermarket: Runner) -> None:
    assert supermarket("run", "agents=[silent]", "suite.episodes=1", "out=a").code == 0
    done = supermarket("run", "agents=[silent]", "suite.episodes=2", "seed=3", "out=a")
    assert done.code == 2
    assert "different: seed, suite.episodes" in done.err
