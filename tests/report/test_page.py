"""The report's page: one file, nothing from outside, every episode opened from its block, safe against odd words."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from supermarket_env.errors import ConfigError, RunFolderError
from supermarket_env.events.log import read_log
from supermarket_env.metrics.row import episode_row
from supermarket_env.report.latex import latex_table
from supermarket_env.report.ledger import by_task, ends_of, faults_of
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
    for word in ("95 % intervals", "assistant faults", "false claims", "worst<br>", "config_hash", "numbers of this"):
        assert word in text
    assert text.count("<img alt=") == 5
    assert text.count('download="results.') == 3


def test_every_count_of_the_ledger_has_its_share_and_interval(small_run: Path) -> None:
    rows = [episode_row(episode) for episode in read_log([small_run]).episodes]
    groups = [("rule", [row for row in rows if row.agent == "rule"])]
    for table in (faults_of(groups), ends_of(groups)):
        (cells,) = table.rows
        assert len(cells) == len(table.head)
        assert cells[:2] == ["rule", "6"]
        assert all(re.search(r"% \[\d+, \d+\]", cell) or cell in ("n/a", "0 of 0") for cell in cells[2:])
    assert by_task([row for row in rows if row.agent == "rule"], [0.0, 1.0] * 3) == [0.5] * 3


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
    assert table.count("\\begin{tabular}") == table.count("\\end{tabular}") == 1
    assert table.count("\\begingroup") == table.count("\\endgroup") == 1
    assert "NS\\_uplift" in table
    assert "brackets: 95 \\% intervals" in table
    lines = [line for line in table.splitlines() if line.endswith("\\\\")]
    assert {line.count("&") for line in lines if "multicolumn" not in line} == {6}, "every line has as many cells"
    assert all(line.count("{") == line.count("}") for line in table.splitlines())


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX on this machine")
def test_latex_fits_the_text_of_an_article(small_run: Path, tmp_path: Path) -> None:
    results = read_results(small_run)
    table = latex_table(results.metrics, agents=results.agents, privileged=results.privileged)
    page = (
        f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\\noindent\n{table}\\end{{document}}\n"
    )
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "Overfull" not in done.stdout


def test_what_cannot_be_reported_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"expected a .*run"):
        save_report([tmp_path], tmp_path / "r.html")
    with pytest.raises(ConfigError, match="at least one run"):
        save_report([], tmp_path / "r.html")
