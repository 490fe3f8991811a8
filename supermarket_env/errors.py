"""The error tree: who raises what, and what a caller may do about it.

Every error of this project derives from :class:`SupermarketError` and from the builtin that fits, so that
``except ValueError`` works for people who do not know us. A message says what was expected, what came, what is
valid and, for names, the nearest valid one. The command line prints the message of a :class:`SupermarketError`
without traceback and exits with code 2; anything else is a bug and keeps its traceback.

Faults *inside* an episode (a crashing assistant, a judge that answers nonsense) are not errors of this tree: they are
data, recorded in the episode's fault ledger.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SupermarketError(Exception):
    """Base of all errors raised on purpose by this project."""


class ConfigError(SupermarketError, ValueError):
    """A configuration key or value is wrong; raised before the first episode."""


class CatalogueError(SupermarketError, ValueError):
    """A catalogue file is broken; the message names file, row and field."""


class LayoutError(SupermarketError, ValueError):
    """A store layout or planogram is broken; the message names the node, section or product."""


class TaskError(SupermarketError, ValueError):
    """A task or suite file is broken, or a task cannot be solved."""


class LogError(SupermarketError, ValueError):
    """An episode log breaks its contract; the message names file, line and field."""


class MessageError(SupermarketError, ValueError):
    """A message of an assistant or a user does not fit the closed inventory."""


class RunFolderError(SupermarketError, ValueError):
    """A run directory cannot be used for this run (another configuration, not ours, damaged)."""


class MissingExtraError(SupermarketError, ImportError):
    """An optional dependency is needed and absent; the message names the extra to install."""


class InfrastructureError(SupermarketError, RuntimeError):
    """A machine or endpoint failed, nobody's move: the episode is set aside as ``infra_error`` and redone on resume."""


class RunStop(BaseException):
    """The run must stop now, and can be resumed: a budget is reached, an endpoint refuses, a recording has a gap.

    No ``Exception``: neither an assistant's nor a user model's error handling may swallow it, and the episode in
    flight is not logged.
    """


def nearest(name: str, valid: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for the closest valid name, or an empty string when nothing is close.

    >>> nearest("neighborhood", ["corner", "neighbourhood", "hyper"])
    " Did you mean 'neighbourhood'?"
    >>> nearest("zzz", ["corner"])
    ''
    """
    close = difflib.get_close_matches(str(name), [str(v) for v in valid], n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""


def unknown_name(kind: str, name: str, valid: Iterable[str]) -> str:
    """Return the standard message for an unknown name: what came, what is valid, the nearest.

    >>> unknown_name("store", "hypr", ["corner", "hyper"])
    "unknown store 'hypr'; valid: corner, hyper. Did you mean 'hyper'?"
    """
    names = [str(v) for v in valid]
    shown = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
    return f"unknown {kind} {name!r}; valid: {shown}.{nearest(name, names)}"
