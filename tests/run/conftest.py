"""Loads the toy run, which is also a program of its own, as a module."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOY = Path(__file__).parent / "toy_run.py"


@pytest.fixture(scope="session")
def toy() -> ModuleType:
    spec = importlib.util.spec_from_file_location("toy_run", TOY)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["toy_run"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def toy_file() -> Path:
    return TOY
