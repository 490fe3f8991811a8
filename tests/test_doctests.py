"""Every example in a docstring is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

# Mapped folders are not found below the package root: each is named.
ROOTS = ("supermarket_env", "supermarket_env.agents", "supermarket_env.user_sim")


def all_modules() -> list[str]:
    names = set(ROOTS)
    for root in ROOTS:
        package = importlib.import_module(root)
        names |= {info.name for info in pkgutil.walk_packages(package.__path__, f"{root}.")}
    return sorted(name for name in names if not name.endswith("__main__"))


@pytest.mark.parametrize("name", all_modules())
def test_doctests(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
