"""Every example in a docstring is run."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil

import pytest

# Mapped folders are not found below the package root: each is named.
ROOTS = ("supermarket_env", "supermarket_env.agents", "supermarket_env.user_sim")
NEEDS = {f"supermarket_env.train.{name}": "sb3_contrib" for name in ("clone", "network", "ppo", "sb3_vec_env")}
"""Modules that can only be imported with an extra, and what the extra brings."""


def all_modules() -> list[str]:
    names = set(ROOTS)
    for root in ROOTS:
        package = importlib.import_module(root)
        names |= {info.name for info in pkgutil.walk_packages(package.__path__, f"{root}.")}
    return sorted(name for name in names if not name.endswith("__main__"))


@pytest.mark.parametrize("name", all_modules())
def test_doctests(name: str) -> None:
    if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"needs {NEEDS[name]}")
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
