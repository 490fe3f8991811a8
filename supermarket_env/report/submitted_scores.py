"""Scores in submissions: which are packed, and what keeps them out.

Scores of shipped scorers with their usual options are computed again from the log. Those of other scorers (own ones,
language models, people) cannot be: they are packed as they are and said to be so, and they may hold nothing but
judgements, so that no other figure can come from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import SupermarketError
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import SCORES_FOLDER, episode_files, read_log
from supermarket_env.scorers import SCORERS, Scorer, impl_of, make_scorer
from supermarket_env.scorers.files import encode_scores, read_scores, scores_path
from supermarket_env.scorers.sheets import is_scorable, score_episode

SCORES_NAME: Final = re.compile(rf"{SCORES_FOLDER}/([A-Za-z0-9][A-Za-z0-9_.+-]*@[A-Za-z0-9][A-Za-z0-9_.+-]*)\.jsonl")
"""Names of scores files in a submission; the group is the scorer's label."""

COMPUTED: Final = "computed again"
GIVEN: Final = "as given"


def scores_names(run: Path) -> tuple[str, ...]:
    """Return the names of a run's scores files as a submission has them, sorted; none without scores."""
    folder = run / SCORES_FOLDER
    names = (f"{SCORES_FOLDER}/{file.name}" for file in folder.glob("*.jsonl")) if folder.is_dir() else ()
    return tuple(sorted(name for name in names if SCORES_NAME.fullmatch(name)))


def check_scores(run: Path, configured: Sequence[Any]) -> tuple[dict[str, str], list[str]]:
    """Check the scores of a run.

    Args:
        run: A folder with a log and perhaps scores.
        configured: The scorers of the run's configuration, whose scores may not be missing.

    Returns:
        For each scorer's label whether its scores were computed again or stand as given; and every problem found.

    Raises:
        LogError: If log or scores are damaged.
    """
    labels = [match[1] for name in scores_names(run) if (match := SCORES_NAME.fullmatch(name))]
    shipped = {impl_of(scorer): scorer for scorer in _usual_scorers()} if labels or configured else {}
    episodes = [e for file in episode_files(run) for e in read_log([file]).episodes if is_scorable(e)] if labels else []
    ways: dict[str, str] = {}
    problems = []
    for label in labels:
        file = scores_path(run, label)
        lines = read_scores(file)
        scorer = shipped.get(label)
        ways[label] = GIVEN if scorer is None else COMPUTED
        found = list(_coverage(lines, episodes))
        if file.read_bytes() != encode_scores(lines.values()):
            found.append("the file is not as supermarket score writes it: one line an episode, sorted")
        found += _odd_events(label, lines) if scorer is None else _differing(scorer, lines, episodes)
        problems += [f"scores {label}: {problem}" for problem in found]
    names = {label.partition("@")[0] for label in labels}
    for entry in configured:
        name = entry if isinstance(entry, str) else str(entry.get("name"))
        if name not in names:
            problems.append(f"scores of {name!r}, a scorer of the run, are missing")
    return ways, problems


def _usual_scorers() -> Iterator[Scorer]:
    """Yield the shipped scorers with their usual options, those that cannot be made here left out."""
    for name in SCORERS:
        try:
            yield make_scorer(name)
        except (SupermarketError, ImportError):
            continue


def _differing(scorer: Scorer, lines: Mapping[str, Any], episodes: Sequence[Episode]) -> Iterator[str]:
    known = [episode for episode in episodes if episode.episode_id in lines]
    differ = [e.episode_id for e in known if score_episode(scorer, e).line != lines[e.episode_id]]
    if differ:
        yield f"{len(differ)} are not what the log gives, first {differ[0]!r}"


def _odd_events(label: str, lines: Mapping[str, Any]) -> Iterator[str]:
    odd = [
        name for name, line in lines.items() if not all(_is_judgement(event, label) for event in line.get("events", ()))
    ]
    if odd:
        yield f"{len(odd)} have events that are no judgement of this scorer, first {odd[0]!r}"


def _is_judgement(event: Mapping[str, Any], label: str) -> bool:
    by_itself = event.get("k") == "judge" and event.get("judge") == label
    return by_itself or (event.get("k") == "fault" and event.get("who") == "judge")


def _coverage(lines: Mapping[str, Any], episodes: Sequence[Episode]) -> Iterator[str]:
    wanted = {episode.episode_id for episode in episodes}
    if lacking := sorted(wanted - lines.keys()):
        yield f"{len(lacking)} episodes have none, first {lacking[0]!r}; supermarket score adds them"
    if foreign := sorted(lines.keys() - wanted):
        yield f"{len(foreign)} are of episodes that are not in the log, first {foreign[0]!r}"
