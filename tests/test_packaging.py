"""The list of packages, the mapping of folders, and the tripwires of folders with common names."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOL = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def test_every_package_folder_is_listed() -> None:
    on_disk = set()
    for package, folder in TOOL["package-dir"].items():
        for init in (ROOT / folder).rglob("__init__.py"):
            parts = init.parent.relative_to(ROOT / folder).parts
            on_disk.add(".".join([package, *parts]))
    assert set(TOOL["packages"]) == on_disk


@pytest.mark.parametrize("name", ["agents", "user_sim", "conf"])
def test_no_folder_shadows_a_mapped_package(name: str) -> None:
    assert not (ROOT / "supermarket_env" / name).exists()
    assert not (ROOT / "supermarket_env" / f"{name}.py").exists()


@pytest.mark.parametrize("name", ["agents", "user_sim"])
def test_a_mapped_folder_refuses_its_bare_name(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert f"supermarket_env.{name}" in done.stderr


def test_every_data_folder_is_shipped() -> None:
    shipped = set(TOOL["package-data"])
    for package, folder in TOOL["package-dir"].items():
        for data in (ROOT / folder).rglob("data"):
            if data.is_dir() and not (data / "__init__.py").exists():
                owner = ".".join([package, *data.parent.relative_to(ROOT / folder).parts])
                assert owner in shipped, f"{data} is not in package-data"


def test_the_console_command_is_declared() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts == {"supermarket": "supermarket_env.cli:main"}
