"""The hook that writes the log."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import IO, Any

from supermarket_env.errors import LogError
from supermarket_env.events.episode import Episode
from supermarket_env.events.hooks import Hook
from supermarket_env.events.log import decode_line, encode_episode

_TAIL_BLOCK = 1 << 16


def mend_tail(path: str | Path) -> int:
    """Make a log file end with a whole line, so that appending is safe; returns the number of bytes cut off.

    A last line without line end is a torn write: cut off if it does not parse, else given its line end. A file that
    does not exist is left alone.
    """
    path = Path(path)
    if not path.exists() or path.stat().st_size == 0:
        return 0
    with path.open("r+b") as stream:
        start, tail = _last_line(stream)
        if tail.endswith(b"\n"):
            return 0
        try:
            decode_line(tail)
        except (ValueError, RecursionError):
            stream.truncate(start)
            return len(tail)
        stream.seek(0, 2)
        stream.write(b"\n")
        return 0


def _last_line(stream: IO[bytes]) -> tuple[int, bytes]:
    """Return the offset and the bytes of the last line, read from the back."""
    position = size = stream.seek(0, 2)
    tail = b""
    while position > 0:
        block = min(_TAIL_BLOCK, position)
        position -= block
        stream.seek(position)
        tail = stream.read(block) + tail
        cut = tail.rfind(b"\n", 0, len(tail) - 1)
        if cut >= 0:
            return size - len(tail) + cut + 1, tail[cut + 1 :]
    return 0, tail


class Recorder(Hook):
    """Append every finished episode to a file: the whole line at once, then flushed.

    A process killed at any moment loses at most the line being written; an old torn line is cut off on opening.
    Use it as a context manager or call :meth:`close`. While it is open it cannot be pickled or copied, nor can an
    environment that has it for a hook: two recorders would write one file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.count = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            mend_tail(self.path)
            # Unbuffered: one write call per line.
            self._stream: IO[bytes] | None = self.path.open("ab", buffering=0)
        except OSError as error:
            raise LogError(f"{self.path}: cannot be written ({error.strerror})") from error

    def on_episode_end(self, episode: Episode) -> None:
        """Write the episode's line.

        Raises:
            LogError: If the recorder is closed or the episode cannot stand in a log.
        """
        if self._stream is None:
            raise LogError(f"{self.path}: the recorder is closed")
        line = encode_episode(episode)
        written = 0
        while written < len(line):
            written += self._stream.write(line[written:])
        self.count += 1

    def __getstate__(self) -> dict[str, Any]:
        """Return what a closed recorder is pickled as.

        Raises:
            LogError: It is open.
        """
        if self._stream is not None:
            raise LogError(
                f"{self.path}: an open recorder cannot be pickled or copied, nor can an environment that holds it; "
                "close it, or take a twin of the environment without this hook"
            )
        return self.__dict__

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
