"""The audit's score sheet: checks, findings, verdict; as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

Verdict = Literal["pass", "fail", "not checked"]
KEPT_EXAMPLES = 5
"""Worst examples kept of each check."""


class Finding(NamedTuple):
    """Something the user should not have done."""

    turn: int
    what: str


@dataclass(frozen=True, slots=True)
class Example:
    """A finding with its episode."""

    episode_id: str
    turn: int
    what: str


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    name: str
    verdict: Verdict
    value: float | None
    """The measured figure, None when nothing could be measured."""
    limit: str
    """What the figure must be to pass."""
    n: int
    """How many episodes, turns or lists were looked at."""
    meaning: str
    details: dict[str, Any] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The whole audit of one user."""

    user: str
    version: str
    n_episodes: int
    played: dict[str, Any]
    """What was played (suite, seed, assistants), or which log was read."""
    checks: tuple[Check, ...]
    n_set_aside: int = 0
    """Episodes that the simulator, a machine or an endpoint failed in: nothing is known about them."""

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the failed checks."""
        return tuple(check.name for check in self.checks if check.verdict == "fail")

    def verdict(self) -> str:
        """Return the one-line verdict."""
        checked = [check for check in self.checks if check.verdict != "not checked"]
        left = len(self.checks) - len(checked)
        rest = f"; {left} not checked" if left else ""
        if self.n_set_aside:
            rest += f"; {self.n_set_aside} further episodes failed in the simulator and were set aside"
        if self.failed:
            return (
                f"FAIL: {self.user} fails {len(self.failed)} of {len(checked)} checks in {self.n_episodes} episodes: "
                f"{', '.join(self.failed)}{rest}"
            )
        return f"PASS: {self.user} passes all {len(checked)} checks in {self.n_episodes} episodes{rest}"

    def to_json(self) -> str:
        """Return the sheet as indented JSON, line end included."""
        data = asdict(self)
        data["failed"], data["verdict"] = list(self.failed), self.verdict()
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the sheet as a page of Markdown; the last line is the verdict."""
        played = ", ".join(f"{key} {_listed(value)}" for key, value in self.played.items())
        lines = [
            f"# Audit of the user `{self.user}` (version {self.version})",
            "",
            f"{self.n_episodes} episodes: {played}.",
            "",
            "| check | verdict | figure | passes when | looked at | what it asks |",
            "|---|---|---|---|---|---|",
        ]
        for c in self.checks:
            figure = "n/a" if c.value is None else f"{c.value:.4g}"
            lines.append(f"| {c.name} | {c.verdict} | {figure} | {c.limit} | {c.n} | {c.meaning} |")
        lines += ["", "## Details", ""]
        for c in self.checks:
            shown = "; ".join(f"{key} {_listed(value)}" for key, value in c.details.items())
            if shown:
                lines.append(f"- **{c.name}**: {shown}")
        lines += ["", "## Worst examples", ""]
        shown_any = False
        for c in self.checks:
            for e in c.examples:
                shown_any = True
                lines.append(f"- **{c.name}** `{e.episode_id}`, turn {e.turn}: {e.what}")
        if not shown_any:
            lines.append("None.")
        return "\n".join([*lines, "", self.verdict()]) + "\n"


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_listed(entry)}" for key, entry in value.items()) or "none"
    if isinstance(value, str) or not isinstance(value, Sequence):
        return f"{value:.4g}" if isinstance(value, float) else str(value)
    return ", ".join(map(str, value))
