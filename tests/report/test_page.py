"""The report's page: one file, nothing from outside, every episode opened from its block, safe against odd words."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import pytest

from supermarket_env.errors import ConfigError, RunFolderError
from supermarket_env.events.log import read_log
from supermarket_env.report.latex import latex_table
from supermarket_env.report.page import BLOCK, _script_safe, save_report
from supermarket_env.report.results import read_results
from supermarket_env.report.transcript import products_of, transcript


@pytest.fixture(scope="module")
def text(small_run: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = save_report([small_run], tmp_path_factory.mktemp("page") / "r.html", title="A & B <report>")
    return out.read_text(encoding="utf-8")


def test_nothing_comes_from_outside_and_words_are_escaped(text: str) -> None:
    assert not re.findall(r'(?:src|href)="(?!data:|#)', text)
    assert "default-src 'none'" in text
    assert "A &amp; B &lt;report&gt;" in text
    assert "@@" not in text
    assert _script_safe({"a": "</script>"}) == '{"a":"\\u003c/script>"}'


def test_every_transcript_is_in_its_block(text: str, small_run: Path) -> None:
    data = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', text)[1])  # type: ignore[index]
    blocks = re.findall(r'<script type="text/plain" id="b\d+">(.*?)</script>', text)
    episodes = read_log([small_run]).episodes
    assert len(data["episodes"]) == len(episodes)
    assert data["block"] == BLOCK
    opened = [found for block in blocks for found in json.loads(zlib.decompress(base64.b64decode(block)))]
    assert [found["id"] for found in opened] == [entry[-1] for entry in data["episodes"]]
    assert data["maps"].keys() == {"neighbourhood"}
    assert all(products_of(found) <= data["names"].keys() for found in opened)


def test_every_section_is_filled(text: str) -> None:
    for word in ("95 % intervals", "assistant faults", "false claims", "worst (NS)", "config_hash", "numbers of this"):
        assert word in text
    assert text.count("<img alt=") == 5


def test_a_transcript_keeps_what_a_reader_needs(small_run: Path) -> None:
    episode = next(e for e in read_log([small_run]).episodes if e.agent == "rule")
    found = transcript(episode)
    assert found["turns"][0]["turn"] == 0
    keys = {key for turn in found["turns"] for key in turn}
    assert {"say", "user", "did", "would", "items", "hint", "goal", "at", "sees", "cart", "meant"} <= keys
    assert found["truth"]["needs"]


def test_latex_has_booktabs_and_escapes(small_run: Path) -> None:
    results = read_results(small_run)
    table = latex_table(results.metrics, agents=results.agents)
    assert table.startswith("\\begin{tabular}")
    assert "NS\\_uplift" in table
    widths = {line.count("&") for line in table.splitlines() if line.endswith("\\\\")}
    assert len(widths) == 1, "every line has as many cells"


def test_what_cannot_be_reported_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="expected a finished run"):
        save_report([tmp_path], tmp_path / "r.html")
    with pytest.raises(ConfigError, match="at least one run"):
        save_report([], tmp_path / "r.html")
