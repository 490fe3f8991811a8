"""``supermarket run -m``: the jobs of a sweep, in order or in Hydra's launchers, failures listed at the end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from supermarket_env.errors import SupermarketError
from supermarket_env.run.compose import Invocation, compose_sweep
from supermarket_env.run.config import RunConfig

INTERRUPT = 130


@dataclass
class Sweep:
    """What is common to the jobs of a sweep, and what became of them in this process."""

    words: tuple[str, ...]
    base: Path | None
    """Folder of all jobs; ``None`` if each says where it goes, or goes to ``runs``."""
    n_jobs: int | None
    failures: list[tuple[str, str]] = field(default_factory=list)
    """Command and reason of the jobs that failed."""
    n_done: int = 0
    is_dry: bool = False

    def play(self, config: RunConfig) -> None:
        """Play one job; a failure is noted, and ends the sweep only with ``run.fail_fast``."""
        from supermarket_env.cli.run import play

        try:
            self.is_dry = config.run.dry_run
            play(config, self.words, base=self.base, reuse=True)
            self.n_done += 1
            return
        except SupermarketError as error:
            reason = str(error)
            print(f"error: {error}", file=sys.stderr)
        except SystemExit as stop:
            if stop.code == INTERRUPT:
                raise
            reason = "see the message above"
        self.failures.append((self._command(config), reason))
        if config.run.fail_fast:
            self.report()
            raise SystemExit(2)

    def _command(self, config: RunConfig) -> str:
        """Return the command that plays one job again."""
        from hydra.core.hydra_config import HydraConfig

        words = [str(word) for word in HydraConfig.get().overrides.task]
        if self.base is not None:
            from supermarket_env.run.job import default_out

            name = default_out(config, config.suite.name, self.base)
            words = [*(word for word in words if not word.startswith("out=")), f"out={name}"]
        return shlex.join(["supermarket", "run", *words])

    def report(self) -> None:
        """Print how the sweep went, with a command for each failed job."""
        total = self.n_done + len(self.failures) if self.n_jobs is None else self.n_jobs
        if self.is_dry:
            print(f"\ndry run of a sweep: {total} jobs, nothing played")
            return
        where = f"; supermarket collect {shlex.quote(str(self.base))}" if self.base is not None and self.n_done else ""
        print(f"\nsweep: {self.n_done} of {total} jobs finished{where}")
        if self.failures:
            print(f"{len(self.failures)} failed; each again by:", file=sys.stderr)
            for command, reason in self.failures:
                print(f"  {command}\n    {reason.splitlines()[0]}", file=sys.stderr)


def run_sweep(invocation: Invocation, words: Sequence[str]) -> None:
    """Check all jobs, then play them.

    With one ``out`` for all jobs it is the folder of the sweep and each job has a directory in it; otherwise ``runs``
    is. The directory's name is a hash of the job's configuration, so that the same job finds its own work again
    whatever else the sweep holds, in any order; episodes of jobs beside it are taken over where they are the same.

    Raises:
        SupermarketError: For anything wrong in any job, before the first episode.
        SystemExit: 2 if jobs failed, 130 after Ctrl-C.
    """
    from supermarket_env.cli.run import hand_to_hydra
    from supermarket_env.run.build import check_names

    configs = compose_sweep(invocation)
    for config in configs:
        check_names(config)
    places = {config.out for config in configs}
    out = places.pop() if len(places) == 1 else None
    sweep = Sweep(tuple(words), None if out is None else Path(out), len(configs) or None)
    hand_to_hydra(invocation, sweep.play)
    if any("hydra/launcher=" in word for word in invocation.overrides) and not configs[0].run.dry_run:
        # Other launchers play the jobs in processes of their own: what they finished is read off the disk.
        missing = [config for config in configs if not _is_finished(config, sweep.base)]
        sweep.n_done = len(configs) - len(missing)
        sweep.failures = [(f"the same sweep again (job {_label(config)})", "no results") for config in missing]
    sweep.report()
    if sweep.failures:
        raise SystemExit(2)


def _is_finished(config: RunConfig, base: Path | None) -> bool:
    from supermarket_env.run.build import build_plan
    from supermarket_env.run.job import default_out

    try:
        return (default_out(config, build_plan(config).suite.name, base) / "metrics.json").is_file()
    except SupermarketError:
        return False


def _label(config: RunConfig) -> str:
    return config.content_hash()[:8]
