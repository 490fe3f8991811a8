"""Imports point one way: each package may use only what stands below it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOTS = {"supermarket_env": ROOT / "supermarket_env"} | {
    f"supermarket_env.{name}": ROOT / name for name in ("agents", "user_sim", "conf")
}

RANKS = {
    "errors": 0,
    "readonly": 0,
    "llm": 1,
    "catalogue": 1,
    "store": 1,
    "rules": 1,
    "dialogue": 2,
    "world": 3,
    "tasks": 4,
    "events": 5,
    "metrics": 5,
    "stats": 5,
    "scorers": 6,
    "envs": 6,
    "agents": 7,
    "run": 8,
    "wrappers": 8,
    "train": 9,
    "compare": 6,
    "report": 9,
    "cli": 10,
    "testing": 11,
}
MIND_RANK = 2
"""The user's decision rules and traits (``user_sim.mind*``, ``persona``, ``config``, ``turn``)."""
USER_RANK = 6
"""Everything else of ``user_sim``: the user models behind the game's door."""

ONLY = {
    "events": {"errors", "events"},
    "metrics": {"errors", "events", "metrics", "stats"},
    "stats": {"errors", "events", "metrics", "stats"},
    "agents": {"errors", "agents", "dialogue", "catalogue", "store", "llm"},
    "scorers": {"errors", "events", "metrics", "stats", "scorers", "dialogue", "catalogue", "store", "llm"},
}
"""Packages that may use nothing but these, whatever stands below them."""


def all_modules() -> dict[str, Path]:
    modules = {}
    for prefix, folder in ROOTS.items():
        for file in sorted(folder.rglob("*.py")):
            parts = file.relative_to(folder).with_suffix("").parts
            name = ".".join([prefix, *parts]).removesuffix(".__init__")
            modules[name] = file
    return modules


MODULES = all_modules()


def package_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def rank_of(module: str) -> int:
    parts = module.split(".")
    if len(parts) > 1 and parts[1] == "user_sim":
        leaf = parts[2] if len(parts) > 2 else ""
        is_mind = leaf.startswith("mind") or leaf in {"persona", "config", "turn", ""}
        return MIND_RANK if is_mind else USER_RANK
    return RANKS[package_of(module)]


def imports_of(module: str, file: Path) -> set[str]:
    """Return the project's modules that a file imports anywhere, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            base = node.module or ""
            found |= {name if (name := f"{base}.{alias.name}") in MODULES else base for alias in node.names}
    return {name for name in found if name.partition(".")[0] == "supermarket_env"}


CHECKED = sorted(name for name in MODULES if package_of(name) not in {"", "conf"})


@pytest.mark.parametrize("module", CHECKED)
def test_imports_point_down(module: str) -> None:
    package = package_of(module)
    for target in sorted(imports_of(module, MODULES[module])):
        if package_of(target) in {"", "conf"}:
            continue
        assert rank_of(target) <= rank_of(module), f"{module} imports {target}, which stands above it"
        if package in ONLY:
            assert package_of(target) in ONLY[package], f"{module} may not import {target}"


def test_every_package_has_a_rank() -> None:
    packages = {package_of(name) for name in MODULES} - {"", "conf", "user_sim"}
    assert packages <= set(RANKS)


def test_the_check_sees_a_wrong_import(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text("def f():\n    from supermarket_env.run import batch\n", encoding="utf-8")
    assert imports_of("supermarket_env.rules.wrong", file) == {"supermarket_env.run.batch"}
    assert rank_of("supermarket_env.run.batch") > rank_of("supermarket_env.rules.wrong")
