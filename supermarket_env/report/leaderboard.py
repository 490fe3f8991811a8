"""Ranked tables of submissions: a rank is lost only to somebody who is shown to be better."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from supermarket_env.compare.pages import markdown_rows
from supermarket_env.compare.paired import compare_pair
from supermarket_env.compare.sides import LIMITS, MUST_AGREE, Side
from supermarket_env.compare.values import PRIMARY
from supermarket_env.errors import ConfigError, SupermarketError
from supermarket_env.report.submission import Submission, read_submission
from supermarket_env.report.tables import figure, groups_of, interval
from supermarket_env.stats import holm

SIMULATOR: Final = ("user", "rules", "metric_definition")
"""What makes two boards on the same tasks unlike."""

LEVEL: Final = 0.05


@dataclass(frozen=True, slots=True)
class Line:
    """One assistant of a board."""

    agent: str
    source: str
    rank: int | None
    """1 + the number of assistants shown to be better; ``None`` for those that do not compete."""
    tied: bool
    n: int
    uplift: float | None
    low: float | None
    high: float | None
    complete: float | None
    complete_low: float | None
    complete_high: float | None
    turns: float | None
    cost: float


@dataclass(frozen=True, slots=True)
class Board:
    """The assistants that met the same tasks, user, rules and limits."""

    key: str
    title: str
    flags: tuple[str, ...]
    ranked: tuple[Line, ...]
    privileged: tuple[Line, ...]
    probes: tuple[Line, ...]


def read_submissions(folder: Path) -> tuple[list[Submission], list[str]]:
    """Read the submissions of a folder, and why others were refused.

    Raises:
        ConfigError: If there is no submission at all.
    """
    files = sorted(folder.glob("*.zip")) if folder.is_dir() else []
    if not files:
        raise ConfigError(f"{folder}: expected a folder with submissions (*.zip)")
    found, refused = [], []
    for file in files:
        try:
            found.append(read_submission(file))
        except SupermarketError as error:
            refused.append(str(error))
        except Exception as error:  # written by anybody: one entry that nobody thought of must not hide all others
            refused.append(f"{file}: cannot be read ({type(error).__name__}: {error})")
    return found, refused


def boards_of(submissions: Sequence[Submission], probes: frozenset[str]) -> list[Board]:
    """Return a board for each set of submissions that can be compared.

    Args:
        submissions: Checked ones.
        probes: Names of assistants that only probe the figures.
    """
    parts: dict[str, list[Submission]] = {}
    for submission in submissions:
        parts.setdefault(_key(submission.run.manifest), []).append(submission)
    boards = [_board(key, part, probes) for key, part in sorted(parts.items(), key=lambda part: _title(part[1][0]))]
    return [_flagged(board, parts, boards) for board in boards]


def _key(manifest: Mapping[str, Any]) -> str:
    limits = manifest["config"]["limits"]
    parts = [manifest.get(key) for key in MUST_AGREE] + [limits.get(key) for key in LIMITS]
    config = manifest["config"]
    parts += [config["seed"], config["trials"], config["suite"].get("episodes")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def _title(submission: Submission) -> str:
    from supermarket_env.run.manifest import describe_world

    manifest = submission.run.manifest
    config = manifest["config"]
    n = config["suite"].get("episodes") or "all"
    return f"{describe_world(manifest)}, {n} tasks x {config['trials']}, seed {config['seed']}"


def _flagged(board: Board, parts: Mapping[str, Sequence[Submission]], boards: Sequence[Board]) -> Board:
    """Add a flag for every other board on the same suite with another simulator."""
    mine = parts[board.key][0].run.manifest
    flags = []
    for other in boards:
        theirs = parts[other.key][0].run.manifest
        differ = [key for key in SIMULATOR if mine.get(key) != theirs.get(key)]
        if other.key != board.key and mine["suite"] == theirs["suite"] and differ:
            flags.append(f"not comparable with board {other.key}: another {', '.join(differ)}")
    return Board(board.key, board.title, tuple(flags), board.ranked, board.privileged, board.probes)


def _board(key: str, part: Sequence[Submission], probes: frozenset[str]) -> Board:
    sides: dict[str, tuple[Side, Submission]] = {}
    for submission in part:
        for agent in submission.run.agents:
            label = agent
            if agent in sides:
                if sides[agent][0].rows == submission.run.rows_of(agent):
                    continue  # the same episodes again, as those of the reference in every submission
                label = f"{agent} ({submission.source})"
            sides[label] = (Side(submission.run, agent), submission)
    told = {label for label, (side, _) in sides.items() if side.agent in side.run.manifest["privileged"]}
    probing = {label for label, (side, _) in sides.items() if side.agent in probes} - told
    competing = [label for label in sides if label not in told | probing]
    ranks = rank({label: sides[label][0] for label in competing})
    lines = {label: _line(label, *sides[label], ranks) for label in sides}

    def ordered(labels: Sequence[str]) -> tuple[Line, ...]:
        return tuple(
            sorted((lines[x] for x in labels), key=lambda line: (line.rank or 0, -(line.uplift or 0.0), line.agent))
        )

    return Board(key, _title(part[0]), (), ordered(competing), ordered(sorted(told)), ordered(sorted(probing)))


def rank(sides: Mapping[str, Side]) -> dict[str, int]:
    """Return 1 + the number of sides shown to be better, by paired tests of the primary figure under Holm."""
    labels = list(sides)
    pairs = [(a, b) for i, a in enumerate(labels) for b in labels[i + 1 :]]
    effects = [compare_pair(sides[a], sides[b], resamples=200).effect(PRIMARY) for a, b in pairs]
    adjusted = holm([1.0 if effect.p is None else effect.p for effect in effects])
    better: dict[str, int] = dict.fromkeys(labels, 0)
    for (a, b), effect, p in zip(pairs, effects, adjusted, strict=True):
        if effect.difference and p <= LEVEL:
            better[a if effect.difference > 0 else b] += 1
    return {label: 1 + count for label, count in better.items()}


def _line(label: str, side: Side, submission: Submission, ranks: Mapping[str, int]) -> Line:
    group = next(group for group in groups_of(submission.metrics) if group.get("agent") == side.agent)
    uplift, complete = ("beyond", PRIMARY), ("beyond", "SR_complete")
    low, high = interval(group, uplift) or (None, None)
    c_low, c_high = interval(group, complete) or (None, None)
    place = ranks.get(label)
    return Line(
        agent=label,
        source=submission.source,
        rank=place,
        tied=place is not None and list(ranks.values()).count(place) > 1,
        n=int(group["n"]),
        uplift=figure(group, uplift),
        low=low,
        high=high,
        complete=figure(group, complete),
        complete_low=c_low,
        complete_high=c_high,
        turns=figure(group, ("Turn",)),
        cost=float(submission.statement["costs"][side.agent]),
    )


def not_compared(submissions: Sequence[Submission]) -> list[str]:
    """Return a sentence for each submission from before some figure of this version."""
    return [
        f"{submission.source}: {submission.n_not_compared} figures of this version are not in its metrics.json; the "
        "log gives them, and there was nothing to compare them with"
        for submission in submissions
        if submission.n_not_compared
    ]


def leaderboard_page(boards: Sequence[Board], refused: Sequence[str] = (), notes: Sequence[str] = ()) -> str:
    """Return the boards as Markdown, with what was not compared and who was refused below them."""
    parts = [
        "# Leaderboard",
        f"Ranked by {PRIMARY}. A rank is 1 + the number of assistants shown to be better by a paired test (Holm over "
        f"all pairs of a board, {LEVEL:g}); `=` marks a tie. Brackets are 95 % intervals. Every figure was computed "
        "again from the packed log.",
    ]
    for board in boards:
        parts += [f"## {board.title}", f"Board {board.key}."]
        parts += [f"> **{flag}**" for flag in board.flags]
        parts.append(_table(board.ranked))
        if board.privileged:
            parts += ["Told the hidden truth, a ceiling, not ranked:", _table(board.privileged)]
        if board.probes:
            parts += ["References and probes, not ranked:", _table(board.probes)]
    if notes:
        parts += ["## Not compared", "\n".join(f"- {note}" for note in notes)]
    if refused:
        parts += ["## Refused", "\n".join(f"- {reason}" for reason in refused)]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _table(lines: Sequence[Line]) -> str:
    heads = (
        "rank",
        "assistant",
        "n trips",
        "NS_uplift (0..1)",
        "SR_complete (%)",
        "Turn (turns)",
        "cost a trip",
        "from",
    )
    rows = []
    for line in lines:
        place = "-" if line.rank is None else f"{line.rank}" + ("=" if line.tied else "")
        rows.append([
            place, line.agent, str(line.n), _spanned(line.uplift, line.low, line.high, 3),
            _spanned(line.complete, line.complete_low, line.complete_high, 1),
            "n/a" if line.turns is None else f"{line.turns:.1f}", f"{line.cost:g}", line.source,
        ])  # fmt: skip
    return markdown_rows(heads, rows) if rows else "Nobody yet."


def _spanned(value: float | None, low: float | None, high: float | None, digits: int) -> str:
    if value is None:
        return "n/a"
    return f"{value:.{digits}f}" + ("" if low is None or high is None else f" [{low:.{digits}f}, {high:.{digits}f}]")
