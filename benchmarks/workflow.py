"""Everything docs/sweeps.md, comparing.md, report.md and leaderboard.md show, made by the commands they show.

python benchmarks/workflow.py                    from the repository root, about 3 minutes on two cores
python benchmarks/workflow.py --only comparing   one page's part

Plays the quick preset, a 2 x 2 sweep and the main job, then collects, compares, plots, packs and ranks; the printed
tables go into the marked parts of the pages, the pictures into docs/img, the baselines into benchmarks/suites/dev.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "img"
COMMAND = Path(sys.executable).parent / "supermarket"
SWEEP = "run -m out=sweep seed=0,1 store=corner,neighbourhood agents=[retrieval,rule] suite.episodes=30"


def call(folder: str, words: str) -> str:
    """Run a sub-command in a folder and return what it printed."""
    done = subprocess.run([str(COMMAND), *shlex.split(words)], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def put(page: str, name: str, text: str) -> None:
    """Write text between the marks of a page."""
    file = ROOT / "docs" / page
    begin, end = f"<!-- {name}: begin (python benchmarks/workflow.py writes this part) -->", f"<!-- {name}: end -->"
    old = file.read_text(encoding="utf-8")
    start, stop = old.index(begin) + len(begin), old.index(end)
    file.write_text(f"{old[:start]}\n{text.rstrip()}\n{old[stop:]}", encoding="utf-8")


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write what the pages on sweeps, comparing, reports and boards show.")
    parser.add_argument("--only", choices=PARTS, action="append", help="make this page's part; may be given again")
    parts = parser.parse_args(words).only or list(PARTS)
    with tempfile.TemporaryDirectory() as folder:
        if {"comparing", "report"} & set(parts):
            call(folder, "run experiment=quick trials=4 out=quick4 run.progress=false")
        if {"sweeps", "report"} & set(parts):
            call(folder, f"{SWEEP} run.progress=false")
        for part in parts:
            PARTS[part](folder)


def _sweeps(folder: str) -> None:
    put("sweeps.md", "collect", call(folder, "collect sweep --out sweep.csv"))
    call(folder, "plot sweep --kind heatmap --x seed --y store.name --out heatmap.png")
    _keep(folder, "heatmap")


def _comparing(folder: str) -> None:
    put("comparing.md", "compare", call(folder, "compare quick4:retrieval quick4:rule --out comparison"))
    put("comparing.md", "trials", call(folder, "trials quick4 --out pass_k.png"))
    planned = call(folder, "plan quick4:retrieval quick4:rule --delta 5 --power 0.8")
    put("comparing.md", "plan", f"```\n{planned}```")
    call(folder, "plot quick4 --kind forest --out forest.png")
    _keep(folder, "pass_k", "forest")


def _report(folder: str) -> None:
    for kind in ("radar", "pareto", "cgv"):
        call(folder, f"plot quick4 --kind {kind} --out {kind}.png")
    call(folder, "plot sweep --kind success --out success.png")
    episode = call(folder, "view quick4").split("  ")[0].replace("oracle|", "rule|")
    call(folder, f"plot quick4 --kind floor --episode {shlex.quote(episode)} --out floor.png")
    call(folder, "report quick4 --out report.html")
    _keep(folder, "radar", "pareto", "cgv", "success", "floor")
    _screenshot(Path(folder) / "report.html", IMAGES / "report.png")


def _leaderboard(folder: str) -> None:
    call(folder, "run experiment=dev out=dev run.progress=false")
    call(folder, "run agents=[random,spam,checkout_pusher] out=probes run.progress=false")
    suite = ROOT / "benchmarks" / "suites" / "dev"
    suite.mkdir(parents=True, exist_ok=True)
    for run in ("dev", "probes"):
        call(folder, f"submit {run} --out {shlex.quote(str(suite / f'{run}.zip'))}")
    board = call(folder, f"leaderboard {shlex.quote(str(suite))}")
    put("leaderboard.md", "board", board.replace("# Leaderboard\n", "", 1).replace("\n## ", "\n### "))


PARTS: Final[Mapping[str, Callable[[str], None]]] = {
    "sweeps": _sweeps,
    "comparing": _comparing,
    "report": _report,
    "leaderboard": _leaderboard,
}
"""What writes each page's part, given the folder of the runs."""


def _keep(folder: str, *pictures: str) -> None:
    for name in pictures:
        shutil.copy(Path(folder) / f"{name}.png", IMAGES / f"{name}.png")


def _screenshot(page: Path, picture: Path) -> None:
    """Take a picture of the report with its first transcript, where there is a Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium: docs/img/report.png is left as it is")
        return
    script = (
        "$('f-agent').value = 'rule'; refresh();"
        "show(shown[0]).then(() => {"
        " for (const part of document.querySelectorAll('main > *')) {"
        " if (part.id === 'episodes') break; part.hidden = true; }"
        " });\n"
    )
    text = page.read_text(encoding="utf-8").replace("refresh();\ndocument.body", f"refresh();\n{script}document.body")
    shown = page.with_name("shown.html")
    shown.write_text(text, encoding="utf-8")
    subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,1000",
         "--virtual-time-budget=4000", f"--screenshot={picture}", shown.as_uri()],
        check=True, capture_output=True,
    )  # fmt: skip


if __name__ == "__main__":
    main()
