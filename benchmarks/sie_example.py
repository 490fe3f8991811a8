"""The pictures of docs/sie.md: two versions with made-up grades whose means are those of a published table.

    python benchmarks/sie_example.py          # a few seconds; writes docs/img/sie_*.png and the example in docs/sie.md
    python benchmarks/sie_example.py --dry    # print only

The published means have one decimal. The grades are invented (120 items, three raters), so the intervals show what such
a panel can establish and nothing about any product.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from user_page import write_table

from supermarket_env.scorers.sie.compare import compare_results
from supermarket_env.scorers.sie.dimensions import DIMENSIONS
from supermarket_env.scorers.sie.figures import draw_radar, draw_versions
from supermarket_env.scorers.sie.items import STRATA, Item, ItemSet, with_id
from supermarket_env.scorers.sie.ratings import SystemRatings
from supermarket_env.scorers.sie.report import comparison_text, result_text
from supermarket_env.scorers.sie.result import SieResult, score_system
from supermarket_env.scorers.sie.weights import STANDARD

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = {"V1.2": (4.0, 3.1, 3.8, 2.9, 3.6), "V1.3": (3.8, 3.9, 3.6, 3.2, 3.2)}
ITEMS, RATERS = 120, ("r1", "r2", "r3")


def example_items() -> ItemSet:
    """Return 24 items a stratum, the smallest usable set."""
    made = []
    for number in range(ITEMS):
        data = {
            "stratum": STRATA[number % len(STRATA)],
            "turn": 2 + number % 11,
            "context": [{"role": "user", "text": f"Hello {number}"}, {"role": "assistant", "text": "Yes?"}],
            "user": "Well?",
            "replies": dict.fromkeys(PUBLISHED, "Of course."),
        }
        made.append(Item.model_validate(with_id(data)))
    return ItemSet(status="minimum_viable", seed=0, items=tuple(made))


def grades_with_mean(mean: float, seed: int) -> list[list[int]]:
    """Return a grade for each item and rater, items differing, whose mean over all is ``mean``."""
    generator = np.random.default_rng(seed)
    wish = mean + generator.normal(0, 0.6, (ITEMS, 1)) + generator.normal(0, 0.35, (ITEMS, len(RATERS)))
    grades = np.clip(np.rint(wish), 1, 5).astype(int)
    order = generator.permutation(grades.size)
    missing = round(mean * grades.size) - int(grades.sum())
    step = 1 if missing > 0 else -1
    flat = grades.ravel()
    for place in order:
        if missing and 1 <= flat[place] + step <= 5:
            flat[place] += step
            missing -= step
    return [[int(grade) for grade in row] for row in flat.reshape(grades.shape)]


def results() -> list[SieResult]:
    """Return the two versions' results."""
    items = example_items()
    ratings: SystemRatings = {name: {item.id: {r: {} for r in RATERS} for item in items.items} for name in PUBLISHED}
    for version, (name, means) in enumerate(PUBLISHED.items()):
        for place, (dimension, mean) in enumerate(zip(DIMENSIONS, means, strict=True)):
            table = grades_with_mean(mean, 10 * version + place)
            for item, row in zip(items.items, table, strict=True):
                for rater, grade in zip(RATERS, row, strict=True):
                    ratings[name][item.id][rater][dimension] = grade
    dates = ("2026-04-01", "2026-05-01")
    return [score_system(items, ratings, name, STANDARD, date=day) for name, day in zip(PUBLISHED, dates, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args()
    made = results()
    compared = compare_results(made)
    text = "\n\n".join([result_text(made[-1]), *map(comparison_text, compared)])
    print(text)
    if not options.dry:
        draw_radar(made, ROOT / "docs" / "img" / "sie_radar.png")
        draw_versions(compared, ROOT / "docs" / "img" / "sie_versions.png")
        write_table("sie example", f"```\n{text}\n```", ROOT / "docs" / "sie.md")


if __name__ == "__main__":
    main()
