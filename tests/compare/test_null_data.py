"""A hundred repeats of benchmarks/null_data.py: tests do not reject too often, intervals cover often enough."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "null_data.py"


def test_every_promise_is_kept_within_the_noise_of_a_hundred_repeats() -> None:
    spec = importlib.util.spec_from_file_location("null_data", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["null_data"] = module
    try:
        spec.loader.exec_module(module)
        checks = module.run(100)
    finally:
        del sys.modules["null_data"]
    assert len(checks) == 8
    assert [check for check in checks if not check.kept] == []
