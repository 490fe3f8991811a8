"""``supermarket run -m``: the jobs of a sweep, in order or in Hydra's launchers, failures listed at the end."""

from __future__ import annotations

import io
import os
import shlex
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path

from supermarket_env.cli.sweep_notes import Note, Notes
from supermarket_env.errors import ConfigError, SupermarketError
from supermarket_env.run.compose import Invocation, compose_sweep
from supermarket_env.run.config import RunConfig

INTERRUPT = 130

OWN_PROCESSES = "basic"
"""The launcher that plays one job after the other in this process; all others play them side by side elsewhere."""

DIED = "its process ended in the middle of the job"


@dataclass
class Sweep:
    """What is common to the jobs of a sweep; it travels to the processes that play them."""

    words: tuple[str, ...]
    base: Path | None
    """Folder of all jobs; ``None`` if each says where it goes, or goes to ``runs``."""
    notes: Notes
    place: str = field(default_factory=os.getcwd)
    """Working directory of the command."""

    def play(self, config: RunConfig) -> None:
        """Play one job and note what became of it; its failure is no failure of the sweep.

        With ``run.fail_fast`` nothing is played once a job has failed.
        """
        from supermarket_env.cli.run import play

        with _in_folder(self.place):
            if config.run.fail_fast and self.notes.any_failed():
                return
            note = self.notes.begin(_job_number(), self._command(config))
            try:
                if _launcher() == OWN_PROCESSES:
                    play(config, self.words, base=self.base, reuse=True)
                else:
                    self._play_beside_others(config)
            except SupermarketError as error:
                print(f"error: {error}", file=sys.stderr)
                self.notes.write(note.failed(str(error)))
            except SystemExit as stop:
                if stop.code == INTERRUPT:
                    raise
                self.notes.write(note.failed("see the message above"))
            except Exception as error:  # a bug: the other jobs may well be spared by it
                traceback.print_exc()
                self.notes.write(note.failed(f"{type(error).__name__}: {error}"))
            else:
                self.notes.write(note.done())

    def _play_beside_others(self, config: RunConfig) -> None:
        """Play one of several jobs at once: one process, no bar, one line in the end."""
        from supermarket_env.cli.run import play

        workers = 1 if config.run.workers == "auto" else config.run.workers
        run = config.run.model_copy(update={"workers": workers, "progress": False})
        said = io.StringIO()
        with redirect_stdout(said):
            play(config.model_copy(update={"run": run}), self.words, base=self.base, reuse=True)
        print(said.getvalue().partition("\n")[0].rstrip(":"), flush=True)

    def _command(self, config: RunConfig) -> str:
        """Return the command that plays one job again."""
        from hydra.core.hydra_config import HydraConfig

        words = [str(word) for word in HydraConfig.get().overrides.task]
        if self.base is not None:
            from supermarket_env.run.job import default_out

            name = default_out(config, config.suite.name, self.base)
            words = [*(word for word in words if not word.startswith("out=")), f"out={name}"]
        return shlex.join(["supermarket", "run", *words])


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

    try:
        configs = compose_sweep(invocation)
    except ConfigError as error:
        if "hydra/launcher/" in str(error):
            raise ConfigError(f"{error}\n(joblib and ray come with: pip install 'supermarket_env[sweep]')") from None
        raise
    for config in configs:
        check_names(config)
    places = {config.out for config in configs}
    out = places.pop() if len(places) == 1 else None
    base = None if out is None else Path(out)
    if configs and all(config.run.dry_run for config in configs):
        from supermarket_env.cli.dry_run import print_sweep

        print_sweep(configs, base)
        return
    if "hydra/launcher=ray" in invocation.overrides:
        from supermarket_env.run.ray_workers import ENVIRONMENT

        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
    with Notes.kept(base or Path("runs" if None in places else ".")) as notes:
        sweep = Sweep(tuple(words), base, notes)
        try:
            with _errors_unprinted():
                hand_to_hydra(_with_folder(invocation, notes.folder), sweep.play)
        except Exception as error:
            # The launcher gave up, because a process of its was killed: jobs that had begun are listed all the same.
            if not notes.read():
                raise
            reason = str(error).strip().partition("\n")[0]
            print(f"error: the launcher gave up: {type(error).__name__}: {reason}", file=sys.stderr)
        found = notes.read()
    if _report(found, base, len(configs) or len(found)):
        raise SystemExit(2)


@contextmanager
def _errors_unprinted() -> Iterator[None]:
    """Let Hydra raise what goes wrong in a launcher, where it would print it and exit."""
    name = "HYDRA_FULL_ERROR"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _with_folder(invocation: Invocation, folder: Path) -> Invocation:
    """Let Hydra write its own copy of the sweep beside the notes: the manifest of each job has all of it."""
    if any(word.lstrip("+").startswith("hydra.sweep.dir=") for word in invocation.overrides):
        return invocation
    quoted = str(folder).replace("\\", "\\\\").replace("'", "\\'")
    return replace(invocation, argv=(*invocation.argv, f"hydra.sweep.dir='{quoted}'"))


def _report(notes: Sequence[Note], base: Path | None, n_jobs: int) -> int:
    """Print how the sweep went, with a command for each failed job; return how many jobs are not finished."""
    n_done = sum(note.state == "done" for note in notes)
    where = f"; supermarket collect {shlex.quote(str(base))}" if base is not None and n_done else ""
    print(f"\nsweep: {n_done} of {n_jobs} jobs finished{where}", flush=True)
    failed = [note for note in notes if note.state != "done"]
    if failed:
        print(f"{len(failed)} failed; each again by:", file=sys.stderr)
        for note in failed:
            reason = note.reason if note.state == "failed" else DIED
            print(f"  {note.command}\n    {reason.partition(chr(10))[0]}", file=sys.stderr)
    if n_jobs > len(notes):
        print(f"{n_jobs - len(notes)} not begun; the same sweep again plays what is missing", file=sys.stderr)
    return n_jobs - n_done


def _job_number() -> int:
    """Return the number of the job that is played in this process."""
    from hydra.core.hydra_config import HydraConfig

    return int(HydraConfig.get().job.num)


def _launcher() -> str:
    """Return the name of the launcher that plays the job in this process."""
    from hydra.core.hydra_config import HydraConfig

    return str(HydraConfig.get().runtime.choices["hydra/launcher"])


@contextmanager
def _in_folder(place: str) -> Iterator[None]:
    """Work in the folder of the command: a process on a cluster may have been started elsewhere.

    Raises:
        ConfigError: If this machine does not have it.
    """
    before = os.getcwd()
    if before == place:
        yield
        return
    try:
        os.chdir(place)
    except OSError as error:
        raise ConfigError(
            f"{place}: the working directory of the sweep is not there on this machine ({error.strerror}); jobs on "
            "several machines need a common file system, run.workers=ray does not"
        ) from None
    try:
        yield
    finally:
        os.chdir(before)
