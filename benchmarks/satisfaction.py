"""Do the statistics, a simple predictor and the calibration hold on real people's satisfaction ratings?

    python benchmarks/satisfaction.py                    # reads ../shared/data, rewrites tables in docs/agreement.md
    python benchmarks/satisfaction.py --data DIR --dry   # files elsewhere; print only

Reads ``satisfaction_redial.txt`` and ``satisfaction_sgd.txt`` (dialogues with 1 to 5 by three to seven annotators for
each user turn and for the whole dialogue). Reports the annotators' agreement, how well a ridge regression on words and
simple signs predicts people out of sample (five folds by dialogue, and trained on the other set), and what calibration
does out of sample. Skips with a reason when the files are absent.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from people_scatter import Panel, draw_scatter
from rated_dialogues import Dialogue, Floats, Sample, read_dialogues, turn_sample, whole_sample
from satisfaction_predictor import fit, one_against_the_others, out_of_fold, rule_score
from user_page import table, write_table

from supermarket_env.scorers.calibration import adjust, band_interval, calibrate, prediction_powered_mean
from supermarket_env.stats import icc, krippendorff_alpha, paired_correlation

SETS: Final = ("redial", "sgd")
DATA: Final = Path(__file__).resolve().parents[2] / "shared" / "data"
ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "agreement.md"
PICTURE: Final = ROOT / "docs" / "img" / "satisfaction.png"
LABELLED: Final = 100
SPLITS: Final = 300


def number(value: float | None, digits: int = 3) -> str:
    """Return a number for the tables."""
    return "n/a" if value is None else f"{value:.{digits}f}"


def agreement_rows(name: str, samples: dict[str, Sample]) -> list[list[str]]:
    """Return alpha and ICC of one file's annotators, turns and whole dialogues."""
    rows = []
    for what, sample in samples.items():
        most = max(len(row) for row in sample.grades)
        columns = [[row[r] if r < len(row) else None for row in sample.grades] for r in range(most)]
        sizes = Counter(len(row) for row in sample.grades)
        k = max(sizes, key=lambda size: (sizes[size], -size))
        block = [row for row in sample.grades if len(row) == k]
        rows.append(
            [
                name,
                what,
                str(len(sample.grades)),
                number(krippendorff_alpha(columns, "ordinal")),
                number(krippendorff_alpha(columns, "interval")),
                f"{k} ({len(block)})",
                number(icc(block, "1,1")),
                number(icc(block, "1,k")),
                number(icc(block, "A,k")),
            ]
        )
    return rows


def prediction_row(name: str, what: str, how: str, predicted: Floats, sample: Sample) -> list[str]:
    """Return how predictions compare with the mean grade."""
    human = sample.human
    found = paired_correlation(predicted.tolist(), human.tolist())
    return [
        name,
        what,
        how,
        number(found.pearson),
        number(found.spearman),
        number(float(np.abs(predicted - human).mean())),
        number(float((predicted - human).mean())),
        number(float(np.abs(human.mean() - human).mean())),
        number(one_against_the_others(sample)),
    ]


class Calibrated(NamedTuple):
    """What calibration did to the dialogues without labels, averaged over random splits."""

    error_before: float
    """Mean over the splits of |mean score - mean human|."""
    error_after: float
    single_before: float
    """Mean absolute error of single dialogues."""
    single_after: float
    band_covers: float
    """Share of splits whose interval of the band covers the mean difference over all dialogues drawn from."""
    powered_covers: float
    """The same for the prediction-powered interval and the mean human score."""
    envelope_covers: float
    """Share of human scores between the two envelopes."""
    without_band: float = 0.0


def calibration_of(auto: Floats, human: Floats, *, splits: int = SPLITS) -> Calibrated:
    """Label a random sample (with replacement, so that the file is the population), adjust what was not drawn."""
    generator = np.random.default_rng(0)
    truth, found, without = float((human - auto).mean()), [], 0
    for _ in range(splits):
        drawn = generator.integers(0, len(auto), LABELLED)
        rest = np.setdiff1d(np.arange(len(auto)), drawn)
        rows = [{"auto": float(auto[i]), "human": float(human[i])} for i in drawn.tolist()]
        made = calibrate(rows)
        interval = band_interval(made, resamples=1000)
        if made.band is None or interval is None:
            without += 1
            continue
        adjusted = np.array([float(adjust(float(a), made)) for a in auto[rest]])
        powered = prediction_powered_mean(auto.tolist(), list(made.deltas))
        low = auto[rest] + (made.lower if made.lower is not None else 0.0)
        high = auto[rest] + (made.upper if made.upper is not None else 0.0)
        found.append(
            [
                abs(float(auto[rest].mean() - human[rest].mean())),
                abs(float(adjusted.mean() - human[rest].mean())),
                float(np.abs(auto[rest] - human[rest]).mean()),
                float(np.abs(adjusted - human[rest]).mean()),
                float(interval.low <= truth <= interval.high),
                float(powered is not None and powered.low <= float(human.mean()) <= powered.high),
                float(((human[rest] >= low - 1e-9) & (human[rest] <= high + 1e-9)).mean()),
            ]
        )
    means = [float(m) for m in np.array(found).mean(axis=0)] if found else [math.nan] * 7
    return Calibrated(*means)._replace(without_band=float(without))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder with satisfaction_*.txt")
    parser.add_argument("--dry", action="store_true", help="print only")
    parser.add_argument("--splits", type=int, default=SPLITS)
    options = parser.parse_args()
    missing = [name for name in SETS if not (options.data / f"satisfaction_{name}.txt").is_file()]
    if missing:
        print(f"skipped: no satisfaction_{missing[0]}.txt in {options.data}")
        return
    kinds: dict[str, Callable[[Sequence[Dialogue]], Sample]] = {"user turns": turn_sample, "dialogues": whole_sample}
    read = {name: read_dialogues(options.data / f"satisfaction_{name}.txt") for name in SETS}
    samples = {name: {what: make(read[name]) for what, make in kinds.items()} for name in SETS}
    tables = {
        "satisfaction agreement": table(
            [
                "file",
                "what",
                "n",
                "alpha ordinal",
                "alpha interval",
                "raters (items)",
                "ICC(1,1)",
                "ICC(1,k)",
                "ICC(A,k)",
            ],
            [row for name in SETS for row in agreement_rows(name, samples[name])],
        )
    }
    rows, pairs, judged = [], [], []
    for name, other in zip(SETS, SETS[::-1], strict=True):
        for what, sample in samples[name].items():
            predicted = out_of_fold(sample)
            rows.append(prediction_row(name, what, "own dialogues, 5 folds", predicted, sample))
            model = fit(samples[other][what], np.arange(len(samples[other][what].dialogue)))
            foreign = model.predict(sample, np.arange(len(sample.dialogue)))
            rows.append(prediction_row(name, what, f"trained on {other}", foreign, sample))
        pairs.append(Panel(f"{name}, whole dialogues", predicted, sample.human))
        naive = np.array([rule_score(found) for found in read[name]])
        rows.append(prediction_row(name, what, "naive rule", naive, sample))
        for label, auto in (("naive rule", naive), (f"trained on {other}", foreign)):
            judged.append([name, label, *_calibration_cells(calibration_of(auto, sample.human, splits=options.splits))])
    tables["satisfaction predictor"] = table(
        [
            "file",
            "what",
            "how",
            "Pearson",
            "Spearman",
            "mean error",
            "bias",
            "error of the mean",
            "one person, Spearman",
        ],
        rows,
    )
    tables["satisfaction calibration"] = table(
        [
            "file",
            "score",
            "error of the mean before",
            "after",
            "single error before",
            "after",
            "band's interval covers",
            "prediction-powered covers",
            "between the envelopes",
            "splits without band",
        ],
        judged,
    )
    for marker, text in tables.items():
        print(f"\n{marker}\n{text}")
        if not options.dry:
            write_table(marker, text, PAGE)
    if not options.dry:
        draw_scatter(pairs, PICTURE, score="predicted, out of fold", is_same_scale=True)


def _calibration_cells(found: Calibrated) -> list[str]:
    shares = [f"{100 * share:.1f} %" for share in (found.band_covers, found.powered_covers, found.envelope_covers)]
    errors = (found.error_before, found.error_after, found.single_before, found.single_after)
    return [*(number(error) for error in errors), *shares, f"{found.without_band:.0f}"]


if __name__ == "__main__":
    main()
