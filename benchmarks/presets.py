"""The folders of benchmarks/suites: a preset's runs packed, its cost measured, its analysis; and the table of presets.

python benchmarks/presets.py                 every preset that takes minutes (15 minutes of processor time)
python benchmarks/presets.py quick dev       some of them
python benchmarks/presets.py --repack        figures and pages again from the packed logs, after a change of the figures

Each folder gets NAME.zip (made by `supermarket submit`), cost.json (what playing it took) and README.md (meaning, exact
command, ranked table). docs/sweeps.md gets the table.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = Path(sys.executable).parent / "supermarket"
SUITES = ROOT / "benchmarks" / "suites"
PAGE = ROOT / "docs" / "sweeps.md"
BEGIN = "<!-- presets: begin (python benchmarks/presets.py writes this part) -->"
END = "<!-- presets: end -->"

PRESETS: Mapping[str, Sequence[str]] = {
    "quick": (),
    "dev": (),
    "test": ("trials=1",),
    "robustness": (),
    "journey": (),
    "generalisation": (),
    "cross-user": (),
}
"""What is played, with what is changed in the preset: three trials of `test` would be 20 MB of log."""


DRAWN = ("journey", "generalisation")
"""Their tasks are drawn when first asked for, and kept in the user's cache."""


def call(folder: str, *words: str, **environment: str) -> str:
    """Run a sub-command in a folder and return what it printed."""
    return subprocess.run([str(COMMAND), *words], cwd=folder, check=True, capture_output=True, text=True,
                          env={**os.environ, **environment}).stdout  # fmt: skip


def spent() -> float:
    """Return the processor seconds of all commands called so far; forked workers count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command_of(name: str) -> list[str]:
    """Return the words of a preset's command."""
    return ["run", f"experiment={name}", *PRESETS[name]]


def meaning_of(name: str) -> str:
    """Return what a preset's file says it means: the comment at its head up to the cost."""
    lines = (ROOT / "conf" / "experiment" / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    words = " ".join(line.removeprefix("#").strip() for line in lines if line.startswith("#")).split("Meaning: ")[1]
    return words.partition(" Cost: ")[0]


def play(name: str, folder: str) -> dict[str, float | str]:
    """Play a preset and return what it took, the drawing of its tasks apart."""
    drawing = 0.0
    if name in DRAWN:
        marks = []
        for _ in range(2):
            begin = spent()
            call(folder, *command_of(name), "run.dry_run=true", XDG_CACHE_HOME=folder)
            marks.append(spent() - begin)
        drawing = marks[0] - marks[1]
    begin = spent()
    warm = {"XDG_CACHE_HOME": folder} if name in DRAWN else {}
    call(folder, *command_of(name), f"out={name}", "run.progress=false", **warm)
    played = spent() - begin
    manifest = json.loads((Path(folder) / name / "manifest.json").read_text(encoding="utf-8"))
    return {"episodes": manifest["n_episodes"], "processor_s": round(played, 1), "drawing_s": round(drawing, 1),
            "python": manifest["python"], "platform": manifest["platform"]}  # fmt: skip


def unpack(name: str, folder: str) -> None:
    """Lay a packed run out again and let the same command make its figures from the log."""
    with zipfile.ZipFile(SUITES / name / f"{name}.zip") as packed:
        for member in ("manifest.json", "episodes.jsonl"):
            packed.extract(member, Path(folder) / name)
    print(call(folder, *command_of(name), f"out={name}", "run.progress=false").splitlines()[0])


def make(name: str, *, repack: bool) -> None:
    """Make the folder of a preset."""
    place = SUITES / name
    place.mkdir(parents=True, exist_ok=True)
    cost = place / "cost.json"
    with tempfile.TemporaryDirectory() as folder:
        if repack:
            unpack(name, folder)
        else:
            cost.write_text(json.dumps(play(name, folder), indent=1) + "\n", encoding="utf-8")
        print(call(folder, "submit", name, "--out", str(place / f"{name}.zip")), end="")
        board = call(folder, "leaderboard", str(place))
    (place / "README.md").write_text(readme_of(name, board), encoding="utf-8")


def readme_of(name: str, board: str) -> str:
    """Return the page of a folder."""
    cost = json.loads((SUITES / name / "cost.json").read_text(encoding="utf-8"))
    tables = board.replace("# Leaderboard\n", "", 1).replace("\n## ", "\n### ").strip()
    others = [file.name for file in sorted((SUITES / name).glob("*.zip")) if file.name != f"{name}.zip"]
    data = f"`{name}.zip`" + "".join(f", `{other}`" for other in others)
    return f"""# {name}

{meaning_of(name)}

| | |
|---|---|
| command | `supermarket {shlex.join(command_of(name))}` |
| cost | {cost["episodes"]} episodes, {spent_in_words(cost)}; no language model |
| data | {data}: manifest, log of every trip, figures; checked by `supermarket submit` |
| analysis | `supermarket leaderboard benchmarks/suites/{name}` |
| made by | `python benchmarks/presets.py {name}` |

`python -m zipfile -e {name}.zip RUN` unpacks to a run directory, which `supermarket compare`, `plot`, `report`, `view`
and `metrics` read.

## Analysis

{tables}
"""


def spent_in_words(cost: Mapping[str, float]) -> str:
    """Return processor time for people; two cores take half of it and a little more."""
    played, drawing = (
        f"{s:.0f} s" if s < 120 else f"{s / 60:.1f} min" for s in (cost["processor_s"], cost.get("drawing_s", 0.0))
    )
    first = f", {drawing} more the first time" if cost.get("drawing_s") else ""
    return f"{played} of processor time{first}"


def table() -> str:
    """Return the table of presets."""
    lines = ["| name | meaning | command | episodes | processor time, measured |", "|---|---|---|---|---|"]
    for name in PRESETS:
        file = SUITES / name / "cost.json"
        if not file.is_file():
            continue
        cost = json.loads(file.read_text(encoding="utf-8"))
        words = shlex.join(command_of(name))
        lines.append(
            f"| [{name}](../benchmarks/suites/{name}/README.md) | {meaning_of(name)} | `{words}` | "
            f"{cost['episodes']:,} | {spent_in_words(cost).replace(' of processor time', '')} |"
        )
    return "\n".join(lines)


def write_page() -> None:
    """Put the table into docs/sweeps.md."""
    old = PAGE.read_text(encoding="utf-8")
    start, stop = old.index(BEGIN) + len(BEGIN), old.index(END)
    PAGE.write_text(f"{old[:start]}\n{table()}\n{old[stop:]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PRESET", help=f"{', '.join(PRESETS)}; by default all")
    parser.add_argument("--repack", action="store_true", help="play nothing, figures and pages anew")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(PRESETS))
    if unknown:
        parser.error(f"unknown preset {unknown[0]!r}; valid: {', '.join(PRESETS)}")
    for name in options.names or PRESETS:
        make(name, repack=options.repack)
    write_page()


if __name__ == "__main__":
    main()
