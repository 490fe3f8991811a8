"""Every preset says what it means, costs and takes, and the folders of benchmarks/suites are whole."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from supermarket_env.report.submission import FILES, SUBMISSION

ROOT = Path(__file__).parents[2]
SUITES = ROOT / "benchmarks" / "suites"
PRESETS = ("quick", "dev", "test", "robustness", "journey", "generalisation", "cross-user", "sie-gate", "scored")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_states_meaning_cost_and_time(name: str) -> None:
    head = (ROOT / "conf" / "experiment" / f"{name}.yaml").read_text(encoding="utf-8").split("\ndefaults:")[0]
    for word in ("# Meaning: ", "Cost: ", "Time"):
        assert word in head


@pytest.mark.parametrize("folder", sorted(p.name for p in SUITES.iterdir() if p.is_dir()))
def test_a_folder_has_data_command_cost_and_analysis(folder: str) -> None:
    place = SUITES / folder
    cost = json.loads((place / "cost.json").read_text(encoding="utf-8"))
    assert cost["episodes"] > 0
    assert cost["processor_s"] > 0
    page = (place / "README.md").read_text(encoding="utf-8")
    assert f"`supermarket run experiment={folder}" in page
    assert "| rank | assistant" in page
    with zipfile.ZipFile(place / f"{folder}.zip") as packed:
        assert set(packed.namelist()) == {*FILES, SUBMISSION}
        manifest = json.loads(packed.read("manifest.json"))
        assert packed.read("episodes.jsonl").count(b"\n") == manifest["n_episodes"] == cost["episodes"]
    assert manifest["command_line"][2] == f"experiment={folder}"
    assert f"[{folder}](../benchmarks/suites/{folder}/README.md)" in (ROOT / "docs" / "sweeps.md").read_text()


def test_the_program_lists_folders_for_every_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import presets

    assert set(presets.PRESETS) == set(PRESETS) - {"sie-gate", "scored"}
    assert presets.meaning_of("quick").startswith("does the shipped ladder")
    assert presets.spent_in_words({"processor_s": 9.6, "drawing_s": 180.0}) == (
        "10 s of processor time, 3.0 min more the first time"
    )
    monkeypatch.delitem(sys.modules, "presets")
