r"""The main table for LaTeX, with booktabs: ``\usepackage{booktabs}``."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from supermarket_env.report.tables import (
    BLOCKS,
    UNDEFINED,
    Column,
    Group,
    agent_order,
    figure,
    groups_of,
    interval,
    notes,
)

NOTE_WIDTH: Final = 84
"""Letters of a note's line: a longer one would make the last column wider."""

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
    """Return the main table as a LaTeX ``tabular`` with booktabs rules, narrow enough for the text of an article.

    The figures stand in three parts below each other, the 95 % interval in a line below each figure; notes close it.

    Args:
        metrics: Content of ``metrics.json``.
        agents: Order of the rows.
        privileged: Assistants marked with a star.
    """
    groups = agent_order(groups_of(metrics), agents)
    wide = max(len(columns) for _, columns in BLOCKS)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begingroup\footnotesize\setlength{\tabcolsep}{4pt}",
        rf"\begin{{tabular}}{{@{{}}lr{'r' * wide}@{{}}}}",
        r"\toprule",
    ]
    for number, (_, columns) in enumerate(BLOCKS):
        lines += [r"\midrule"] if number else []
        blank = [""] * (wide - len(columns))
        lines.append(_line(["assistant", "$n$", *(escaped(column.title) for column in columns), *blank]))
        lines.append(_line(["", "trips", *(escaped(column.unit) for column in columns), *blank]))
        lines.append(r"\midrule")
        for group in groups:
            name = str(group.get("agent", "all"))
            star = "*" if name in privileged else ""
            lines.append(_line([escaped(name) + star, str(group["n"]), *(_value(group, c) for c in columns), *blank]))
            lines.append(_line(["", "", *(_span(group, column) for column in columns), *blank]))
    lines.append(r"\bottomrule")
    told = ["brackets: 95 % intervals", *notes(groups, privileged)]
    for note in told:
        for part in textwrap.wrap(note, NOTE_WIDTH, subsequent_indent="    "):
            lines.append(rf"\multicolumn{{{wide + 2}}}{{@{{}}l@{{}}}}{{\scriptsize {escaped(part)}}} \\")
    return "\n".join([*lines, r"\end{tabular}", r"\endgroup"]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells).rstrip() + r" \\"


def _value(group: Group, column: Column) -> str:
    value = figure(group, column.path)
    return UNDEFINED if value is None else f"${value:.{column.digits}f}$"


def _span(group: Group, column: Column) -> str:
    bounds, digits = interval(group, column.path), min(column.digits, 2)
    return "" if bounds is None else rf"{{\scriptsize $[{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]$}}"
