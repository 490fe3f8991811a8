r"""The main table for LaTeX, with booktabs: ``\usepackage{booktabs}``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from supermarket_env.report.tables import COLUMNS, agent_order, figure, groups_of, interval, notes

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def escaped(text: str) -> str:
    r"""Return text with LaTeX's special characters made harmless.

    >>> print(escaped("NS_uplift 95 %"))
    NS\_uplift 95 \%
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def latex_table(metrics: Mapping[str, Any], *, agents: Sequence[str] = (), privileged: Collection[str] = ()) -> str:
    """Return the main table as a LaTeX ``tabular`` with booktabs rules, 95 % intervals in a line below each figure.

    Args:
        metrics: Content of ``metrics.json``.
        agents: Order of the rows.
        privileged: Assistants marked with a star.
    """
    groups = agent_order(groups_of(metrics), agents)
    lines = [r"\begin{tabular}{lr" + "r" * len(COLUMNS) + "}", r"\toprule"]
    lines.append(" & ".join(["assistant", "$n$", *(escaped(column.title) for column in COLUMNS)]) + r" \\")
    lines.append(" & ".join(["", "", *(escaped(column.unit) for column in COLUMNS)]) + r" \\")
    lines.append(r"\midrule")
    for group in groups:
        name = str(group.get("agent", "all"))
        values, spans = [escaped(name) + ("*" if name in privileged else ""), str(group["n"])], ["", ""]
        for column in COLUMNS:
            value, bounds = figure(group, column.path), interval(group, column.path)
            digits = min(column.digits, 2)
            values.append("n/a" if value is None else f"${value:.{column.digits}f}$")
            spans.append(
                "" if bounds is None else rf"{{\scriptsize $[{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]$}}"
            )
        lines += [" & ".join(values) + r" \\", " & ".join(spans) + r" \\"]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% {note}" for note in notes(groups, privileged)]
    return "\n".join(lines) + "\n"
