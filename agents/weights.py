"""Weights of small networks as NumPy archives: arrays by name, and what is said of them in ``meta``."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import ConfigError


def read_weights(
    path: Path | str, *, what: str, file: str, schema: str
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return arrays and meta of an archive.

    Args:
        path: The archive.
        what: What it holds, for the message.
        file: What such a file is called.
        schema: The form that its meta must name.

    Raises:
        ConfigError: There is no such file, or it is of no such form.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        meta = json.loads(arrays.pop("meta").tobytes())
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ConfigError(f"{what} {str(path)!r} cannot be read: expected a {file} ({error})") from None
    if not isinstance(meta, dict) or meta.pop("schema", None) != schema:
        raise ConfigError(f"{what} {str(path)!r} is not of the form {schema!r}")
    return arrays, meta
