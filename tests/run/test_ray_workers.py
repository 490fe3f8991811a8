"""Episodes on a Ray cluster: the bytes of one worker, whatever dies on the way."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from supermarket_env.errors import ConfigError, MissingExtraError
from supermarket_env.run import ray_seat
from supermarket_env.run.batch import Report, WorkerError, WorkUnit
from supermarket_env.run.build import build_plan
from supermarket_env.run.config import RayConfig, RunConfig
from supermarket_env.run.job import run_job
from supermarket_env.run.ray_seat import PlanPlayer, Seat, code_hash, play_chunk
from supermarket_env.run.ray_workers import CHUNK_MAX, ENVIRONMENT, _Pace, connect


def digest(out: Path) -> str:
    return hashlib.sha256((out / "episodes.jsonl").read_bytes()).hexdigest()


def reports(n: int, wall_s: float) -> list[Report]:
    return [Report(f"e{k}", "left", 5, wall_s, 0) for k in range(n)]


def test_ray_is_asked_for_by_name_and_changes_no_hash() -> None:
    plain = RunConfig.parse({})
    there = RunConfig.parse({"run": {"workers": "ray", "ray": {"address": "10.0.0.7:6379"}}})
    assert there.content_hash() == plain.content_hash()
    assert there.resolved()["run"]["ray"] == {"address": "10.0.0.7:6379"}
    assert "ray" not in plain.resolved()["run"], "nothing said about a cluster: nothing written down"
    assert RunConfig.parse(there.resolved()) == there


def test_a_misspelt_number_of_workers_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"run\.workers: got 'rays'"):
        RunConfig.parse({"run": {"workers": "rays"}})
    with pytest.raises(ConfigError, match=r"unknown key 'run\.ray\.adress'.*Did you mean 'run\.ray\.address'"):
        RunConfig.parse({"run": {"ray": {"adress": "auto"}}})


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"supermarket_env\[ray\]"):
        connect(RayConfig())


def test_without_ray_no_run_directory_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    data = {"agents": ["silent"], "suite": {"name": "dev", "episodes": 1}, "run": {"workers": "ray"}}
    with pytest.raises(MissingExtraError, match=r"supermarket_env\[ray\]"):
        run_job(build_plan(RunConfig.parse(data)), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_language_models_do_not_travel() -> None:
    with pytest.raises(ConfigError, match=r"run\.workers: episodes with language models run in threads"):
        build_plan(
            RunConfig.parse(
                {
                    "run": {"workers": "ray"},
                    "llm": {"default": {"base_url": "http://127.0.0.1:1/v1", "model": "m"}},
                    "suite": {"name": "dev", "episodes": 1},
                }
            )
        )


def test_a_machine_with_another_store_refuses() -> None:
    plan = build_plan(RunConfig.parse({"agents": ["silent"], "suite": {"name": "dev", "episodes": 1}}))
    assert PlanPlayer(plan)().play(plan.units[0])["seed"] == plan.units[0].seed
    (name,) = plan.stores
    other = type(plan)(**{**vars(plan), "stores": {name: "0" * 64}})
    with pytest.raises(Exception, match=rf"store {name!r} is [0-9a-f]{{12}} here, the run has 000000000000"):
        PlanPlayer(other)()


def test_the_code_of_all_three_packages_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = code_hash()
    assert len(whole) == 64
    for left_out in ray_seat.PACKAGES:
        monkeypatch.setattr(ray_seat, "PACKAGES", tuple(p for p in ray_seat.PACKAGES if p != left_out))
        assert code_hash.__wrapped__() != whole
        monkeypatch.undo()


@pytest.mark.parametrize(("wall_s", "chunk"), [(0.0001, CHUNK_MAX), (0.1, 10), (60.0, 1)])
def test_chunks_take_about_a_second(wall_s: float, chunk: int) -> None:
    class Cluster:
        def cluster_resources(self) -> dict[str, float]:
            return {"CPU": 4.0, "memory": 1.0}

    pace = _Pace(100_000)
    assert pace.room(Cluster()) == 8
    assert pace.chunk(Cluster()) == 2, "nothing is known yet: little at a time"
    pace.note(reports(2, wall_s))
    assert pace.chunk(Cluster()) == chunk
    few = _Pace(6)
    few.note(reports(2, 0.0001))
    assert few.chunk(Cluster()) == 1, "never more than a fair share"


@dataclass
class DyingPlayer:
    """Kills its process in the middle of one episode, the first time or always."""

    inner: Any
    mark: str
    victim: str
    always: bool = False

    def play(self, unit: WorkUnit) -> dict[str, Any]:
        if unit.episode_id == self.victim and (self.always or not os.path.exists(self.mark)):
            with open(self.mark, "a", encoding="utf-8") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        line: dict[str, Any] = self.inner.play(unit)
        return line

    def infra_line(self, unit: WorkUnit, detail: str) -> dict[str, Any]:
        line: dict[str, Any] = self.inner.infra_line(unit, detail)
        return line


@dataclass
class Made:
    """A player's factory that may travel."""

    player: Any

    def __call__(self) -> Any:
        return self.player


@pytest.fixture(scope="module")
def cluster(toy: ModuleType) -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    ray.init(address="local", num_cpus=2, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
    # Modules of tests cannot be imported over there: their classes travel whole.
    ray.cloudpickle.register_pickle_by_value(toy)
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield ray
    ray.shutdown()


ON_RAY = {"workers": "ray", "ray": {"address": "local"}}

# Ray's own sockets, processes and old calls of libraries.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"
)


@pytest.fixture(scope="module")
def whole(toy: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "run"
    run_job(toy.toy_plan(30, run={"workers": 1}), out, make_player=toy.ToyPlayer)
    return out


def test_a_cluster_gives_the_same_bytes(cluster: Any, toy: ModuleType, whole: Path, tmp_path: Path) -> None:
    result = run_job(toy.toy_plan(30, run=ON_RAY), tmp_path / "run", make_player=Made(toy.ToyPlayer()))
    assert result.n_played == 60
    assert digest(tmp_path / "run") == digest(whole)
    assert run_job(toy.toy_plan(30), tmp_path / "run", make_player=toy.ToyPlayer).n_played == 0, "any workers resume it"
    assert not list((tmp_path / "run").glob("episodes-*.jsonl"))


def test_a_killed_process_costs_nothing_but_its_chunk(
    cluster: Any, toy: ModuleType, whole: Path, tmp_path: Path
) -> None:
    plan = toy.toy_plan(30, run=ON_RAY)
    mark = tmp_path / "died"
    player = DyingPlayer(toy.ToyPlayer(), str(mark), plan.units[17].episode_id)
    run_job(plan, tmp_path / "run", make_player=Made(player))
    assert mark.read_text() == "x"
    assert digest(tmp_path / "run") == digest(whole)


def test_an_episode_that_always_kills_ends_the_run_and_keeps_the_rest(
    cluster: Any, toy: ModuleType, whole: Path, tmp_path: Path
) -> None:
    plan = toy.toy_plan(30, run=ON_RAY)
    player = DyingPlayer(toy.ToyPlayer(), str(tmp_path / "died"), plan.units[40].episode_id, always=True)
    with pytest.raises(WorkerError, match=r"died 4 times .*; finished episodes are kept, the same command resumes"):
        run_job(plan, tmp_path / "run", make_player=Made(player))
    assert (tmp_path / "died").read_text() == "xxxx"
    again = run_job(plan, tmp_path / "run", make_player=Made(toy.ToyPlayer()))
    assert 0 < again.n_played < 60
    assert digest(tmp_path / "run") == digest(whole)


def test_ctrl_c_keeps_what_came_back(cluster: Any, toy: ModuleType, whole: Path, tmp_path: Path) -> None:
    plan = toy.toy_plan(30, run=ON_RAY)
    out = tmp_path / "run"

    def press() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not any(f.stat().st_size for f in out.glob("episodes-*.jsonl")):
            time.sleep(0.02)
        signal.raise_signal(signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        run_job(plan, out, make_player=Made(toy.ToyPlayer(pause_s=0.1)))
    presser.join()
    again = run_job(plan, out, make_player=Made(toy.ToyPlayer()))
    assert 0 < again.n_played < 60
    assert digest(out) == digest(whole)


def test_other_code_on_a_machine_is_refused(cluster: Any, toy: ModuleType, tmp_path: Path) -> None:
    seat = cluster.put(Seat("other", Made(toy.ToyPlayer()), (), "0" * 64))
    found = cluster.get(cluster.remote(play_chunk).remote([seat], "other", []))
    assert "has other code of supermarket_env than the run" in found.refusal
    assert found.lines == b""


def test_a_broken_player_is_told_with_its_traceback(cluster: Any, toy: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match="no attribute"):
        run_job(toy.toy_plan(2, run=ON_RAY), tmp_path / "run", make_player=Made(5))


def test_real_trips_and_their_scores_are_the_same(cluster: Any, tmp_path: Path) -> None:
    config = {"agents": ["rule"], "scorers": ["grade"], "suite": {"name": "dev", "episodes": 3}}
    for name, run in (("one", {"workers": 1}), ("ray", ON_RAY)):
        plan = build_plan(RunConfig.parse({**config, "run": {**run, "compiled": False}}))
        run_job(plan, tmp_path / name)
    assert digest(tmp_path / "ray") == digest(tmp_path / "one")
    (one,), (ray,) = (sorted((tmp_path / name / "scores").iterdir()) for name in ("one", "ray"))
    assert ray.read_bytes() == one.read_bytes()
    timed = [json.loads(line) for line in (tmp_path / "ray" / "timings.jsonl").read_text().splitlines()]
    assert sum("scorer" in entry for entry in timed) == 6, "scored where they were played, each once"
    assert {entry["worker"] for entry in timed if "worker" in entry} <= {0, 1}


def test_an_address_without_a_cluster_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    import subprocess

    code = (
        "from supermarket_env.run.ray_workers import connect\n"
        "from supermarket_env.run.config import RayConfig\n"
        "from supermarket_env.errors import ConfigError\n"
        "try:\n    connect(RayConfig(address='nonsense://x'))\nexcept ConfigError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert "run.ray.address: no Ray cluster at 'nonsense://x'" in done.stdout, done.stderr
