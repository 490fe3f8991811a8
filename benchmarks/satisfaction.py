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
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from user_page import table, write_table

from supermarket_env.scorers.calibration import adjust, band_interval, calibrate, prediction_powered_mean
from supermarket_env.stats import icc, krippendorff_alpha, paired_correlation

Floats = npt.NDArray[np.float64]

SETS: Final = ("redial", "sgd")
DATA: Final = Path(__file__).resolve().parents[2] / "shared" / "data"
ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "agreement.md"
PICTURE: Final = ROOT / "docs" / "img" / "satisfaction.png"
FOLDS: Final = 5
WORDS: Final = 200
PENALTIES: Final = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
LABELLED: Final = 100
SPLITS: Final = 300

_WORD: Final = re.compile(r"[a-z']+")
_THANKS: Final = re.compile(r"\b(thank|thanks|great|awesome|perfect|love|nice|cool|good|sounds|wonderful|lol)\b", re.I)
_NO: Final = re.compile(r"\b(no|not|don't|didn't|never|nope|wrong|instead|other|else|another|already|hate|bad)\b", re.I)
_SORRY: Final = re.compile(r"\b(sorry|can't|cannot|couldn't|unable|fail|don't know|not sure|unfortunately)\b", re.I)


class Utterance(NamedTuple):
    """One line of a dialogue; scores only for the user."""

    role: str
    text: str
    scores: tuple[int, ...]


class Dialogue(NamedTuple):
    """A dialogue and the ratings of the whole."""

    turns: list[Utterance]
    overall: tuple[int, ...]


class Sample(NamedTuple):
    """Things to predict: their dialogue, features, words, and the people's grades."""

    dialogue: list[int]
    signs: Floats
    words: list[set[str]]
    grades: list[tuple[int, ...]]

    @property
    def human(self) -> Floats:
        """Mean grade of each."""
        return np.array([sum(row) / len(row) for row in self.grades])


def read_dialogues(path: Path) -> list[Dialogue]:
    """Read a file of rated dialogues."""
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        turns: list[Utterance] = []
        overall: tuple[int, ...] = ()
        for line in block.splitlines():
            role, text, _, scores = line.split("\t")
            grades = tuple(int(score) for score in scores.split(",")) if scores else ()
            if text == "OVERALL":
                overall = grades
            else:
                turns.append(Utterance(role, text, grades))
        if turns and overall:
            found.append(Dialogue(turns, overall))
    return found


def _bag(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _overlap(one: str, other: str) -> float:
    a, b = _bag(one), _bag(other)
    return len(a & b) / len(a | b) if a | b else 0.0


def turn_signs(turns: Sequence[Utterance], place: int) -> list[float]:
    """Return simple signs of a user turn: tone, questions, repetition, what the system said before it."""
    text = turns[place].text
    users = [t.text for t in turns[:place] if t.role == "USER"]
    systems = [t.text for t in turns[:place] if t.role == "SYSTEM"]
    last = systems[-1] if systems else ""
    return [
        float(bool(_THANKS.search(text))),
        float(bool(_NO.search(text))),
        float("?" in text),
        float("!" in text),
        math.log1p(len(text)),
        math.log1p(len(last)),
        float("?" in last),
        float(bool(_SORRY.search(last))),
        max((_overlap(text, t) for t in users), default=0.0),
        max((_overlap(last, t) for t in systems[:-1]), default=0.0),
        _overlap(text, last),
        place / max(1, len(turns) - 1),
        math.log1p(place),
        float(place > 0 and turns[place - 1].role == "USER"),
    ]


def turn_sample(dialogues: Sequence[Dialogue]) -> Sample:
    """Return every rated user turn."""
    rows = [(d, p) for d, found in enumerate(dialogues) for p, t in enumerate(found.turns) if t.scores]
    return Sample(
        [d for d, _ in rows],
        np.array([turn_signs(dialogues[d].turns, p) for d, p in rows]),
        [_bag(dialogues[d].turns[p].text) for d, p in rows],
        [dialogues[d].turns[p].scores for d, p in rows],
    )


def whole_sample(dialogues: Sequence[Dialogue]) -> Sample:
    """Return every whole dialogue: means, extremes and last values of the signs of its user turns."""
    signs, words = [], []
    for found in dialogues:
        table_ = np.array([turn_signs(found.turns, p) for p, t in enumerate(found.turns) if t.role == "USER"])
        signs.append([*table_.mean(axis=0), *table_.max(axis=0), *table_[-1], math.log1p(len(found.turns))])
        users = [t.text for t in found.turns if t.role == "USER"]
        words.append(_bag(" ".join(users[-3:])))
    return Sample(list(range(len(dialogues))), np.array(signs), words, [d.overall for d in dialogues])


class Ridge:
    """Ridge regression on standardised signs and the commonest words of its training rows."""

    def __init__(self, sample: Sample, rows: npt.NDArray[np.int64], penalty: float) -> None:
        counts = Counter(word for row in rows.tolist() for word in sample.words[row])
        self.vocabulary = [word for word, _ in sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:WORDS]]
        x, y = self._matrix(sample, rows), sample.human[rows]
        self.centre, self.spread = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-9)
        x = (x - self.centre) / self.spread
        self.base = float(y.mean())
        self.weights = np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ (y - self.base))

    def _matrix(self, sample: Sample, rows: npt.NDArray[np.int64]) -> Floats:
        bags = [[float(word in sample.words[row]) for word in self.vocabulary] for row in rows.tolist()]
        return np.hstack([sample.signs[rows], np.array(bags).reshape(len(rows), -1)])

    def predict(self, sample: Sample, rows: npt.NDArray[np.int64]) -> Floats:
        """Return predictions within 1..5."""
        x = (self._matrix(sample, rows) - self.centre) / self.spread
        return np.asarray(np.clip(self.base + x @ self.weights, 1.0, 5.0), dtype=np.float64)


def _folds(sample: Sample, folds: int, seed: int) -> npt.NDArray[np.int64]:
    """Fold of each row; a dialogue's rows stay together."""
    numbers = sorted(set(sample.dialogue))
    order = np.random.default_rng(seed).permutation(len(numbers))
    fold = {number: int(order[place]) % folds for place, number in enumerate(numbers)}
    return np.array([fold[number] for number in sample.dialogue], dtype=np.int64)


def fit(sample: Sample, rows: npt.NDArray[np.int64]) -> Ridge:
    """Fit with the penalty that predicts a held-out third of the training dialogues best."""
    inner = _folds(sample, 3, 1)[rows]
    inside, outside = rows[inner != 0], rows[inner == 0]
    human = sample.human[outside]

    def error(penalty: float) -> float:
        return float(((Ridge(sample, inside, penalty).predict(sample, outside) - human) ** 2).mean())

    return Ridge(sample, rows, min(PENALTIES, key=error))


def out_of_fold(sample: Sample) -> Floats:
    """Return predictions for every row by a model that never saw its dialogue."""
    fold, found = _folds(sample, FOLDS, 0), np.zeros(len(sample.dialogue))
    for number in range(FOLDS):
        test = np.flatnonzero(fold == number)
        found[test] = fit(sample, np.flatnonzero(fold != number)).predict(sample, test)
    return found


def one_against_the_others(sample: Sample) -> float | None:
    """Return Spearman of each item's first annotator with the mean of its others: what a person reaches."""
    first = [float(row[0]) for row in sample.grades]
    others = [sum(row[1:]) / len(row[1:]) for row in sample.grades]
    return paired_correlation(first, others).spearman


def rule_score(found: Dialogue) -> float:
    """Return a naive score of a dialogue: from 3, up for thanks at the end, down for refusals and repetition."""
    users = [t.text for t in found.turns if t.role == "USER"]
    thanks = any(_THANKS.search(text) for text in users[-2:])
    refusals = sum(bool(_NO.search(text)) for text in users) / max(1, len(users))
    again = max((_overlap(a, b) for a, b in itertools.pairwise(users)), default=0.0)
    return float(min(5.0, max(1.0, 3.0 + (2.0 if thanks else 0.0) - (1.0 if refusals > 0.4 else 0.0) - (again > 0.6))))


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


def draw_scatter(pairs: Sequence[tuple[str, Floats, Floats]], out: Path) -> None:
    """Draw predicted against human scores of whole dialogues."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.4), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    panels: Any = figure.subplots(1, len(pairs), sharex=True, sharey=True)
    for axes, (name, predicted, human) in zip(panels, pairs, strict=True):
        jitter = np.random.default_rng(0).uniform(-0.04, 0.04, len(human))
        axes.plot([1, 5], [1, 5], color="#999999", linewidth=0.8)
        axes.scatter(predicted, human + jitter, s=9, color="#0072B2", alpha=0.45, linewidths=0)
        rho = paired_correlation(predicted.tolist(), human.tolist()).spearman
        axes.set_title(f"{name}, whole dialogues (Spearman {number(rho, 2)})", fontsize=10)
        axes.set_xlabel("predicted, out of fold")
    panels[0].set_ylabel("mean of the annotators")
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, metadata={"Software": None})


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
        pairs.append((name, predicted, sample.human))
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
        draw_scatter(pairs, PICTURE)


def _calibration_cells(found: Calibrated) -> list[str]:
    shares = [f"{100 * share:.1f} %" for share in (found.band_covers, found.powered_covers, found.envelope_covers)]
    errors = (found.error_before, found.error_after, found.single_before, found.single_after)
    return [*(number(error) for error in errors), *shares, f"{found.without_band:.0f}"]


if __name__ == "__main__":
    main()
