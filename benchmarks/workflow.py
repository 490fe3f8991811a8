"""Everything docs/sweeps.md, comparing.md, report.md and leaderboard.md show, made by the commands they show.

python benchmarks/workflow.py          from the repository root, about 3 minutes on two cores

Plays the quick preset, a 2 x 2 sweep and the main job, then collects, compares, plots, packs and ranks; the printed
tables go into the marked parts of the pages, the pictures into docs/img, the baselines into benchmarks/suites/dev.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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


def main() -> None:
    images = ROOT / "docs" / "img"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        call(folder, "run experiment=quick out=quick trials=4 run.progress=false")
        call(folder, f"{SWEEP} run.progress=false")
        put("sweeps.md", "collect", call(folder, "collect sweep --out sweep.csv"))
        put("comparing.md", "compare", call(folder, "compare quick:retrieval quick:rule --out comparison"))
        put("comparing.md", "trials", call(folder, "trials quick --out pass_k.png"))
        put(
            "comparing.md",
            "plan",
            "```\n" + call(folder, "plan quick:retrieval quick:rule --delta 5 --power 0.8") + "```",
        )
        call(folder, "plot quick --kind forest --out forest.png")
        call(folder, "plot sweep --kind heatmap --x seed --y store.name --out heatmap.png")
        for kind in ("radar", "pareto", "cgv"):
            call(folder, f"plot quick --kind {kind} --out {kind}.png")
        call(folder, "plot sweep --kind success --out success.png")
        episode = call(folder, "view quick").split("  ")[0].replace("oracle|", "rule|")
        call(folder, f"plot quick --kind floor --episode {shlex.quote(episode)} --out floor.png")
        call(folder, "report quick --out report.html")
        for name in ("forest", "pass_k", "heatmap", "radar", "pareto", "cgv", "success", "floor"):
            shutil.copy(place / f"{name}.png", images / f"{name}.png")
        _screenshot(place / "report.html", images / "report.png")
        call(folder, "run experiment=dev out=dev run.progress=false")
        call(folder, "run agents=[random,spam,checkout_pusher] out=probes run.progress=false")
        suite = ROOT / "benchmarks" / "suites" / "dev"
        suite.mkdir(parents=True, exist_ok=True)
        for run in ("dev", "probes"):
            call(folder, f"submit {run} --out {shlex.quote(str(suite / f'{run}.zip'))}")
        board = call(folder, f"leaderboard {shlex.quote(str(suite))}")
        put("leaderboard.md", "board", board.replace("# Leaderboard\n", "", 1).replace("\n## ", "\n### "))


def _screenshot(page: Path, picture: Path) -> None:
    """Take a picture of the report with its first transcript, where there is a Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium: docs/img/report.png is left as it is")
        return
    script = (
        "show(D.episodes.findIndex((e) => e[AGENT] === 'rule')).then(() => {"
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
