"""Read a GGUF file: its metadata, and its tensors as float arrays.

Only what a small language model needs: plain float32 and float16 tensors and the block formats Q8_0 and Q4_1.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import ConfigError

Floats = NDArray[np.float32]

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
F32, F16, Q4_1, Q8_0 = 0, 1, 3, 8
BLOCK = 32
"""Values a block of the Q formats holds."""
_Q4_1_BLOCK = np.dtype([("scale", "<f2"), ("least", "<f2"), ("packed", "u1", (16,))])
_Q8_0_BLOCK = np.dtype([("scale", "<f2"), ("values", "i1", (32,))])


class TensorPlace(NamedTuple):
    """Where a tensor stands: its shape (rows first), its format and its offset in the data part."""

    shape: tuple[int, ...]
    kind: int
    offset: int


class GgufFile:
    """An open GGUF file: ``metadata`` and ``tensor(name)``."""

    def __init__(self, path: Path) -> None:
        """Read the header.

        Raises:
            ConfigError: When the file is no GGUF file of version 2 or 3, or is cut short.
        """
        self._path = path
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 0
        if self._data[:4] != b"GGUF":
            raise ConfigError(f"{path}: expected a GGUF file")
        self._at = 4
        try:
            (version,) = self._take("I")
            if version not in (2, 3):
                raise ConfigError(f"{path}: expected GGUF version 2 or 3, got {version}")
            tensors, keys = self._take("QQ")
            self.metadata: dict[str, Any] = {}
            for _ in range(keys):
                name = self._string()
                (kind,) = self._take("I")
                self.metadata[name] = self._value(kind)
            self._places = dict(self._place() for _ in range(tensors))
        except (struct.error, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: broken GGUF header: {error}") from error
        align = int(self.metadata.get("general.alignment", 32))
        self._start = (self._at + align - 1) // align * align

    def _take(self, layout: str) -> tuple[Any, ...]:
        found = struct.unpack_from("<" + layout, self._data, self._at)
        self._at += struct.calcsize("<" + layout)
        return found

    def _string(self) -> str:
        (size,) = self._take("Q")
        raw = self._data[self._at : self._at + size]
        self._at += size
        return raw.decode("utf-8")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            inner, size = self._take("IQ")
            return [self._value(inner) for _ in range(size)]
        if kind not in _SCALARS:
            raise ConfigError(f"{self._path}: unknown kind of metadata {kind}")
        return self._take(_SCALARS[kind])[0]

    def _place(self) -> tuple[str, TensorPlace]:
        name = self._string()
        (rank,) = self._take("I")
        sizes = self._take("Q" * rank)
        kind, offset = self._take("IQ")
        return name, TensorPlace(tuple(reversed(sizes)), kind, offset)

    def tensor(self, name: str) -> Floats:
        """Return a tensor as float32, rows first.

        Raises:
            ConfigError: When there is no such tensor or its format is not read here.
        """
        if name not in self._places:
            raise ConfigError(f"{self._path}: no tensor {name!r}")
        shape, kind, offset = self._places[name]
        size = int(np.prod(shape))
        start = self._start + offset
        if kind in (F32, F16):
            flat = np.frombuffer(self._data, "<f4" if kind == F32 else "<f2", size, start).astype(np.float32)
        elif kind == Q8_0:
            blocks = np.frombuffer(self._data, _Q8_0_BLOCK, size // BLOCK, start)
            flat = blocks["values"].astype(np.float32) * blocks["scale"].astype(np.float32)[:, None]
        elif kind == Q4_1:
            blocks = np.frombuffer(self._data, _Q4_1_BLOCK, size // BLOCK, start)
            packed = blocks["packed"]
            # The low halves of the 16 bytes are the first 16 values, the high halves the other 16.
            steps = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32)
            flat = steps * blocks["scale"].astype(np.float32)[:, None] + blocks["least"].astype(np.float32)[:, None]
        else:
            raise ConfigError(f"{self._path}: tensor {name!r} has format {kind}; read here: F32, F16, Q4_1, Q8_0")
        return flat.reshape(shape)
