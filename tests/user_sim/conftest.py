"""Loads the hand-made shop and the benchmark programs as modules, and the world that several tests share."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from supermarket_env.world import World, load_world

HERE = Path(__file__).parent
BENCHMARKS = HERE.parent.parent / "benchmarks"


@pytest.fixture(scope="session")
def shop() -> ModuleType:
    spec = importlib.util.spec_from_file_location("small_shop", HERE / "small_shop.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["small_shop"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def program() -> Callable[[str], ModuleType]:
    """Import a module of ``benchmarks`` by name; they import one another as scripts of one folder do."""

    def load(name: str) -> ModuleType:
        sys.path.insert(0, str(BENCHMARKS))
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(str(BENCHMARKS))

    return load


@pytest.fixture(scope="session")
def neighbourhood() -> World:
    return load_world("embedded", "neighbourhood")
