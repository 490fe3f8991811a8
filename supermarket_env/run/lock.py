"""The lock of a run directory: one process at a time writes in it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from supermarket_env.errors import RunFolderError

LOCK_FILE = ".lock"

LOCK_PATIENCE_S = 5.0
"""How long to wait for a folder: workers of a killed run finish the episode in hand before they let go of it."""


@contextmanager
def folder_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is made if it does not exist.

    Raises:
        RunFolderError: If another process holds it, or the folder cannot be written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        stream = take_lock(path)
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be written ({error.strerror or error})") from error
    with stream:
        yield


def take_lock(path: Path) -> IO[str]:
    """Take the folder's lock; it is held until the stream is closed in this process and in all it forked.

    Raises:
        RunFolderError: If another process holds it.
    """
    stream = (path / LOCK_FILE).open("a+", encoding="utf-8")
    try:
        import fcntl
    except ImportError:  # no such locks on this platform: nothing guards against two runs in one folder there
        return stream
    deadline = time.monotonic() + LOCK_PATIENCE_S
    while True:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            stream.seek(0)
            owner = stream.read().strip() or "unknown"
            stream.close()
            raise RunFolderError(
                f"{path}: in use by another process (id {owner}); wait for it, stop it, or choose another out"
            ) from None
        stream.truncate(0)
        stream.write(str(os.getpid()))
        stream.flush()
        return stream
