"""``supermarket score``: add scores to a finished log, without playing anything."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from supermarket_env.compare.manifest import MANIFEST, read_manifest
from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.events.nearby import nearest_run
from supermarket_env.run.lock import folder_lock
from supermarket_env.run.scoring import Request, ScoreCount, ScoresExistError, score_log

KEYS: Final = ("scorers", "replace", "out")

USAGE: Final = """\
Usage: supermarket score RUN... 'scorers=[judge,sie,mme,grade,virtual_agent]' [replace=true] [out=FOLDER]

Adds scores/<scorer>@<version>.jsonl to run directories; nothing is played. Scores that are there already are kept, so
that the same command goes on where it was stopped; if nothing is missing it is refused. A scorer takes options as an
object, quoted because shells read braces: 'scorers=[{name:judge,backend:human,ratings:ratings.csv}]'.

  RUN       run directories; or log files, with out=FOLDER to hold the scores
  scorers   what scores (by default judge)
  replace   score anew what is there already
  out       where scores/ goes, by default the run directory; a folder holds the scores of one log
"""


def score(words: Sequence[str]) -> None:
    """Score finished logs.

    Args:
        words: Everything after ``supermarket score``.

    Raises:
        SupermarketError: For anything wrong in words, logs or scorers' options.
    """
    if not words or {"-h", "--help"} & set(words):
        print(USAGE, end="")
        return
    paths, options = read_words(words)
    if options["out"] is not None and len({path.resolve() for path in paths}) > 1:
        raise ConfigError(f"out={options['out']}: holds the scores of one log, got {len(paths)}; score each by itself")
    refused: list[ScoresExistError] = []
    for path in paths:
        folder = Path(options["out"]) if options["out"] is not None else path
        if options["out"] is None and not path.is_dir():
            if not path.exists():
                raise ConfigError(f"{path}: no such run directory or log file.{nearest_run(path)}")
            raise ConfigError(f"{path}: is no run directory; out=FOLDER says where the scores of a log file go")
        request = Request(path, folder, tuple(options["scorers"]), replace=options["replace"])
        try:
            for count in _score_one(request):
                print(describe(count))
        except ScoresExistError as error:
            refused.append(error)
    if len(refused) == len(paths):
        raise refused[0]
    for reason in refused:
        print(f"kept: {reason}")


def _score_one(request: Request) -> list[ScoreCount]:
    """Score a log and bring the figures of its run up to date.

    Raises:
        ScoresExistError: If there was nothing to do, the figures included.
    """
    seconds: list[Any] = []
    is_run = request.folder == request.source and (request.source / MANIFEST).is_file()

    def finish(_: Sequence[ScoreCount]) -> None:
        note_timings(request.folder, seconds)
        if is_run:
            renew_results(request.source)

    try:
        return score_log(request, seconds.append, finish)
    except ScoresExistError:
        # A call killed after its last score and before the figures: the same call ends it.
        with folder_lock(request.folder):
            if not is_run or not renew_results(request.source):
                raise
    print(f"{request.source}: every score was there; metrics.json and summary.csv were behind and are written anew")
    return []


def read_words(words: Sequence[str]) -> tuple[list[Path], dict[str, Any]]:
    """Split the words into paths and options.

    Raises:
        ConfigError: If there is no path, or an option is unknown or of the wrong kind.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    options: dict[str, Any] = {"scorers": ["judge"], "replace": False, "out": None}
    paths = []
    for word in words:
        key, equals, _ = word.partition("=")
        if not equals or Path(word).exists():
            if word.startswith("-"):
                raise ConfigError(f"unknown option {word!r}; options are written {', '.join(f'{k}=...' for k in KEYS)}")
            paths.append(Path(word))
            continue
        if key not in KEYS:
            raise ConfigError(unknown_name("option", key, KEYS))
        try:
            options[key] = OverridesParser.create().parse_overrides([word])[0].value()
        except OverrideParseException as error:
            reason = str(error).partition("\nSee ")[0].replace("\n", " ")
            raise ConfigError(f"{word!r} cannot be read, expected KEY=VALUE: {reason}") from None
    if isinstance(options["scorers"], str | dict):
        options["scorers"] = [options["scorers"]]
    if not isinstance(options["scorers"], list) or not options["scorers"]:
        raise ConfigError(f"scorers: expected a list with at least one name, got {options['scorers']!r}")
    if not isinstance(options["replace"], bool):
        raise ConfigError(f"replace: expected true or false, got {options['replace']!r}")
    if not paths:
        raise ConfigError("expected at least one run directory or log file")
    return paths, options


def note_timings(folder: Path, entries: Sequence[Any]) -> None:
    """Append the seconds of every score to the timings beside ``scores/``."""
    if entries:
        with (folder / "timings.jsonl").open("a", encoding="utf-8") as stream:
            stream.writelines(json.dumps(entry) + "\n" for entry in entries)


def renew_results(folder: Path) -> bool:
    """Write metrics.json and summary.csv anew where they are not what the log with its scores says.

    Returns:
        Whether they were not.
    """
    from supermarket_env.cli.metrics import metrics_json
    from supermarket_env.report.tables import csv_table

    manifest = read_manifest(folder)
    text = metrics_json([folder], by=("agent",), intervals=True)
    table = csv_table(json.loads(text), agents=manifest["agents"], privileged=manifest["privileged"])
    changed = False
    for name, content in (("metrics.json", text), ("summary.csv", table)):
        file, new = folder / name, content.encode()
        if file.is_file() and file.read_bytes() == new:
            continue
        beside = folder / f"{name}.tmp"
        beside.write_bytes(new)
        beside.replace(file)
        changed = True
    return changed


def describe(count: ScoreCount) -> str:
    """Return what was done for one scorer in a line."""
    kept = f", {count.n_kept} were there" if count.n_kept else ""
    failed = f", {count.n_failed} failed (a fault of the judge is in their line)" if count.n_failed else ""
    return f"{count.impl}: {count.n_scored} episodes scored{kept}{failed}; {count.path}"
