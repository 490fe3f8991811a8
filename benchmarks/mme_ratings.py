"""How well the MME scores agree with people: fitted on one data set, reported on the other, both ways.

    python benchmarks/mme_ratings.py RATINGS.json [--grades words,vectors,full] [--page docs/mme.md]

RATINGS.json has rated replies of two or more data sets (see docs/mme.md). With --page the tables go between the marks
of the page, and the scatter of composite and people (the last grade) beside it as img/mme_ratings.png. With a language
model about half a second a reply and core.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from people_scatter import Panel, draw_scatter

from supermarket_env.scorers.mme.build import make_submetrics
from supermarket_env.scorers.mme.composition import composite
from supermarket_env.scorers.mme.ratings import RatedReply, load_ratings
from supermarket_env.scorers.mme.submetric import NAMES
from supermarket_env.scorers.mme.weights import Values, agreement, fit_weights, values_of

START, END = "<!-- measured: start -->", "<!-- measured: end -->"
COLUMNS = ("composite", "mean", *NAMES)
RESAMPLES = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ratings", type=Path)
    parser.add_argument("--grades", default="words,vectors,full")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    replies = load_ratings(options.ratings)
    lines: list[str] = []
    panels: list[Panel] = []
    for grade in options.grades.split(","):
        made = make_submetrics(grade)
        values = values_of(replies, made.metrics)
        lines += tables(grade, replies, values, made.impls)
        panels = unseen_panels(replies, values, made.impls)
        print("\n".join(lines[-30:]), flush=True)
    if options.page is not None:
        text = options.page.read_text(encoding="utf-8")
        before, after = text[: text.index(START) + len(START)], text[text.index(END) :]
        options.page.write_text(before + "\n" + "\n".join(lines) + "\n" + after, encoding="utf-8")
        draw_scatter(
            panels, options.page.parent / "img" / "mme_ratings.png", score="composite, fitted on the other set"
        )


def tables(grade: str, replies: Sequence[RatedReply], values: Values, impl: dict[str, str]) -> list[str]:
    names = list(dict.fromkeys(reply.dataset for reply in replies))
    labels = sorted(set(impl.values()))
    lines = ["", f"### Grade `{grade}`", "", "Computed by " + ", ".join(f"`{label}`" for label in labels) + ".", ""]
    lines += ["| fitted on | reported on | n | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 3) + "|"]
    verdicts = []
    for fitted in names:
        at = [i for i, reply in enumerate(replies) if reply.dataset == fitted]
        weights = fit_weights([replies[i] for i in at], [values[i] for i in at], impl)
        seen = agreement([replies[i] for i in at], [values[i] for i in at], weights)["spearman"]
        best = max(NAMES, key=lambda name: seen[name] if seen[name] is not None else -2)
        for other in names:
            if other == fitted:
                continue
            part = [i for i, reply in enumerate(replies) if reply.dataset == other]
            found = agreement([replies[i] for i in part], [values[i] for i in part], weights)
            row = (shown(found["spearman"][column]) for column in COLUMNS)
            lines.append(f"| {fitted} | {other} | {found['n']} | " + " | ".join(row) + " |")
            human = [replies[i].human for i in part]
            rows = [values[i] for i in part]
            low, high = interval(human, rows, weights.row())
            told = found["spearman"]
            verdicts.append(
                f"- Fitted on {fitted}, reported on {other}: composite {shown(told['composite'])} "
                f"(95 % interval {low:.2f} to {high:.2f}), plain mean {shown(told['mean'])}, the sub-metric best "
                f"on {fitted} ({best}) {shown(told[best])}. Weights: "
                + ", ".join(f"{name} {weight:.2f}" for name, weight in weights.weights.items())
                + "."
            )
    return [*lines, "", *verdicts]


def unseen_panels(replies: Sequence[RatedReply], values: Values, impl: dict[str, str]) -> list[Panel]:
    """Return composite and mean human grade of each data set, the weights fitted on the others."""
    panels = []
    for name in dict.fromkeys(reply.dataset for reply in replies):
        seen = [i for i, reply in enumerate(replies) if reply.dataset != name]
        part = [i for i, reply in enumerate(replies) if reply.dataset == name]
        weights = fit_weights([replies[i] for i in seen], [values[i] for i in seen], impl).row()
        scores = np.array([composite(values[i], weights) for i in part], dtype=np.float64)
        human = np.array([replies[i].human for i in part])
        known = np.isfinite(scores)
        panels.append(Panel(name, scores[known], human[known]))
    return panels


def shown(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def interval(human: Sequence[float], rows: Values, weights: Sequence[float]) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the composite's rank correlation, over replies."""
    from scipy.stats import spearmanr

    scores = np.array([composite(row, weights) for row in rows], dtype=np.float64)
    rated = np.array(human)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(RESAMPLES):
        at = rng.integers(0, len(rated), len(rated))
        found.append(spearmanr(scores[at], rated[at]).statistic)
    return float(np.percentile(found, 2.5)), float(np.percentile(found, 97.5))


if __name__ == "__main__":
    main()
