"""``supermarket version``."""

from __future__ import annotations


def version() -> None:
    """Print the version."""
    from importlib.metadata import version as installed

    print(installed("supermarket_env"))
