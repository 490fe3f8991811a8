"""Play the README's main job and write its table and plot into README.md and docs/img (the command beside them).

python benchmarks/readme.py        (from the repository root)
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from supermarket_env.agents.registry import AGENTS
from supermarket_env.report.tables import markdown_table

BEGIN = "<!-- result: begin (python benchmarks/readme.py writes this part) -->"
END = "<!-- result: end -->"
LADDER = ("silent", "popularity", "retrieval", "rule", "oracle")


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Play the main job and write its table and plot into the README.")
    parser.parse_args(words)
    root = Path(__file__).resolve().parent.parent
    command = Path(sys.executable).parent / "supermarket"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([str(command), "run", "out=main", "run.progress=false"], cwd=folder, check=True)
        run = Path(folder) / "main"
        metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
        shutil.copy(run / "sr_vs_turn.png", root / "docs" / "img" / "sr_vs_turn.png")
    privileged = [name for name in LADDER if AGENTS[name].privileged]
    table = markdown_table(metrics, agents=LADDER, privileged=privileged)
    part = "\n".join(
        (
            BEGIN,
            "```",
            "supermarket run          # 100 shopping trips for each of five assistants, the same users, the same luck",
            "```",
            "",
            table.strip(),
            "",
            "![Success by turn: bought something, and bought everything wanted](docs/img/sr_vs_turn.png)",
            END,
        )
    )
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    start, stop = text.index(BEGIN), text.index(END) + len(END)
    readme.write_text(text[:start] + part + text[stop:], encoding="utf-8")


if __name__ == "__main__":
    main()
