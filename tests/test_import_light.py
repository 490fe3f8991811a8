"""``import supermarket_env`` stays light, and so does the help page of the command."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "hydra",
    "matplotlib",
    "pettingzoo",
    "scipy",
    "pandas",
    "numba",
    "networkx",
    "bm25s",
    "rapidfuzz",
    "typer",
    "rich",
)


def heavy_modules_after(statement: str) -> list[str]:
    code = f"import sys\n{statement}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_import_pulls_in_nothing_heavy() -> None:
    assert heavy_modules_after("import supermarket_env") == []


def test_the_check_can_fail() -> None:
    assert "typer" in heavy_modules_after("import typer")


def test_help_imports_no_sub_command() -> None:
    code = (
        "import sys\nfrom supermarket_env.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('MODULES', *sorted(m for m in sys.modules if m.startswith('supermarket_env.')))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.rpartition("MODULES")[2].split()
    assert loaded == ["supermarket_env.cli", "supermarket_env.errors"]
