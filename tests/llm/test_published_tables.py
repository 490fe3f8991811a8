"""The tables made with the local model are what the shipped recordings give, offline, on any machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "llm_local"
PROGRAMS = {
    "llm_plumbing.py": ([], "llm.md"),
    "llm_hostile.py": (["--mode", "replay", "--recording", str(DATA / "hostile.sqlite")], "llm.md"),
    "llm_costs.py": ([], "bring_your_model.md"),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_page_says_what_the_recordings_say(program: str, tmp_path: Path) -> None:
    words, page = PROGRAMS[program]
    command = [sys.executable, "-P", str(ROOT / "benchmarks" / program), *words, "--dry"]
    offline = {**os.environ, "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=offline)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_recordings_are_small_and_hold_only_what_was_asked() -> None:
    for file in DATA.iterdir():
        assert file.stat().st_size < 1_000_000, file.name
