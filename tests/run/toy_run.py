"""A run of toy episodes, for tests of workers, folders and resume. Also a program: ``toy_run.py OUT WORKERS PAUSE``."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from supermarket_env.run.batch import WorkUnit
from supermarket_env.run.build import RunPlan
from supermarket_env.run.config import RunConfig
from supermarket_env.run.episode import unlogged_line
from supermarket_env.run.job import run_job
from supermarket_env.run.seeding import episode_seed

AGENTS = ("silent", "rule")


def toy_plan(n_tasks: int = 20, **keys: Any) -> RunPlan:
    config = RunConfig.parse({"agents": list(AGENTS), **keys})
    units = tuple(
        WorkUnit(
            number, task, 0, episode_seed(config.seed, f"toy-{task:03d}", 0), f"{agent}|toy|corner|toy-{task:03d}|0"
        )
        for task in range(n_tasks)
        for number, agent in enumerate(AGENTS)
    )
    user = SimpleNamespace(name="toy", version="1", content_hash=lambda: "u")
    suite = SimpleNamespace(name="toy", content_hash="s", tasks=())
    agents = tuple(SimpleNamespace(name=name, privileged=False) for name in AGENTS)
    return RunPlan(
        config, cast(Any, suite), cast(Any, user), cast(Any, agents), units, {"embedded": "c"}, {"corner": "l"}
    )


@dataclass
class ToyPlayer:
    """Makes lines that depend on the unit alone; ``infra`` names episodes whose simulator fails."""

    pause_s: float = 0.0
    infra: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()

    def play(self, unit: WorkUnit) -> dict[str, Any]:
        time.sleep(self.pause_s)
        if unit.episode_id in self.infra:
            return self.infra_line(unit, "toy failure")
        line = self._line(unit)
        if unit.episode_id in self.broken:
            line["events"][0]["path_m"] = float("nan")
        return line

    def infra_line(self, unit: WorkUnit, detail: str) -> dict[str, Any]:
        return unlogged_line(self._labels(unit), unit.seed, detail)

    @staticmethod
    def _labels(unit: WorkUnit) -> Any:
        agent, user, store, task_id, trial = unit.episode_id.split("|")
        return SimpleNamespace(
            episode_id=unit.episode_id, agent=agent, user=user, store=store, catalogue="embedded", suite="toy",
            task_id=task_id, trial=int(trial), stratum="quick",
        )  # fmt: skip

    def _line(self, unit: WorkUnit) -> dict[str, Any]:
        labels: Mapping[str, Any] = vars(self._labels(unit))
        turns = 1 + unit.seed % 5
        events: list[dict[str, Any]] = [
            {"k": "user", "turn": turn, "act": "chat", "text": "x" * (unit.seed % 700),
             "action": {"type": "wait", "params": {}}}
            for turn in range(1, turns + 1)
        ]  # fmt: skip
        events.append({"k": "end", "reason": "left"})
        return {"schema": "supermarket.episode/1", **labels, "seed": unit.seed, "events": events}


def main() -> None:
    out, workers, pause_s = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    result = run_job(toy_plan(60, run={"workers": workers}), out, make_player=lambda: ToyPlayer(pause_s))
    print(result.n_played)


if __name__ == "__main__":
    main()
