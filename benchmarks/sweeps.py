"""Sweeps, workers, collecting and reports at size: what must hold, measured.

python benchmarks/sweeps.py kill       a sweep of 3 x 3 x 2 jobs killed five times at random (2 minutes)
python benchmarks/sweeps.py collect    collecting 1,000 runs in under 10 s (1 minute)
python benchmarks/sweeps.py report     a report of 5,000 episodes under 15 MB, opened in under 3 s (4 minutes)
python benchmarks/sweeps.py workers    two workers against one on 10,000 episodes, same bytes (15 minutes)

Each prints what it found and exits with 1 if it does not hold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

COMMAND = str(Path(sys.executable).parent / "supermarket")
SWEEP = ("run", "-m", "out=sweep", "seed=0,1,2", "agents=[popularity],[retrieval],[rule]", "track=semantic,text",
         "suite.episodes=6", "run.workers=1", "run.progress=false")  # fmt: skip
KILLS = 5


def put(part: str, text: str) -> None:
    """Print what was measured and write it into docs/sweeps.md."""
    print(text)
    page = Path(__file__).resolve().parent.parent / "docs" / "sweeps.md"
    begin, end = f"<!-- {part}: begin (benchmarks/sweeps.py writes this part) -->", f"<!-- {part}: end -->"
    old = page.read_text(encoding="utf-8")
    start, stop = old.index(begin) + len(begin), old.index(end)
    page.write_text(f"{old[:start]}\nMeasured: {text}.\n{old[stop:]}", encoding="utf-8")


def kill(folder: Path) -> bool:
    """Kill a sweep five times, let it finish, count how often each episode was played."""
    generator = random.Random(11)
    for _ in range(KILLS):
        process = subprocess.Popen([COMMAND, *SWEEP], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)  # fmt: skip
        before = len(list(folder.glob("sweep/*/metrics.json")))
        while len(list(folder.glob("sweep/*/metrics.json"))) < min(before + 2, 17) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(generator.uniform(0.0, 3.0))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        print(f"killed with {len(list(folder.glob('sweep/*/metrics.json')))} jobs finished")
    subprocess.run([COMMAND, *SWEEP], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    played: Counter[tuple[str, str, str]] = Counter()
    runs = sorted(folder.glob("sweep/*/metrics.json"))
    for run in runs:
        config = json.loads((run.parent / "manifest.json").read_text(encoding="utf-8"))["config"]
        for line in (run.parent / "timings.jsonl").read_text(encoding="utf-8").splitlines():
            played[str(config["seed"]), config["track"], json.loads(line)["episode_id"]] += 1
    wanted = 3 * 2 * 4 * 6
    most = max(played.values())
    put(
        "kill",
        f"a sweep of 3 x 3 x 2 jobs, killed at {KILLS} random moments, ends with {len(runs)} of 18 jobs finished; of "
        f"its {wanted} episodes none was played more than {'once' if most == 1 else f'{most} times'}",
    )
    # A kill between an episode's line and its timing loses the timing, never the episode.
    return len(runs) == 18 and max(played.values()) == 1 and wanted - KILLS <= len(played) <= wanted


def collect(folder: Path) -> bool:
    """Copy one small run a thousand times and collect."""
    words = ["run", "agents=[rule]", "suite.episodes=5", "run.workers=1", "run.progress=false", "out=one"]
    subprocess.run([COMMAND, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    manifest = json.loads((folder / "one" / "manifest.json").read_text(encoding="utf-8"))
    for seed in range(1000):
        place = folder / "many" / f"run-{seed:04}"
        place.mkdir(parents=True)
        manifest["config"]["seed"] = seed
        (place / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        shutil.copy(folder / "one" / "metrics.json", place)
        os.link(folder / "one" / "episodes.jsonl", place / "episodes.jsonl")
    started = time.perf_counter()
    subprocess.run([COMMAND, "collect", "many", "--out", "many.csv"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    rows = len((folder / "many.csv").read_text(encoding="utf-8").splitlines()) - 1
    put("size", f"1,000 runs ({rows:,} rows) are collected in {seconds:.1f} s")
    return seconds < 10 and rows == 2000


def report(folder: Path) -> bool:
    """Play 5,000 episodes and write their report."""
    words = ["run", "suite=test", "trials=2", "run.progress=false", "out=big"]
    subprocess.run([COMMAND, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    started = time.perf_counter()
    subprocess.run([COMMAND, "report", "big", "--out", "big.html"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    size, seconds = (folder / "big.html").stat().st_size / 1e6, time.perf_counter() - started
    opened = _opens(folder / "big.html")
    text = f"Measured: 5,000 episodes make {size:.1f} MB"
    if opened is not None:
        text += f"; in a headless Chromium the page is in use {opened:.1f} s after it was asked for"
        page = Path(__file__).resolve().parent.parent / "docs" / "report.md"
        begin, end = "<!-- size: begin (python benchmarks/sweeps.py report writes this part) -->", "<!-- size: end -->"
        old = page.read_text(encoding="utf-8")
        start, stop = old.index(begin) + len(begin), old.index(end)
        page.write_text(f"{old[:start]}\n{text}.\n{old[stop:]}", encoding="utf-8")
    print(f"{text} (under 15 MB, under 3 s); written in {seconds:.0f} s")
    return size < 15 and (opened is None or opened < 3)


def _opens(page: Path) -> float | None:
    """Return the seconds from asking a headless Chromium for the page to its complete list; ``None`` without one."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium here: opening is not timed")
        return None
    words = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found = re.search(r'data-ready-ms="(\d+)"', done.stdout)
    return int(found[1]) / 1000 if found else float("inf")


def workers(folder: Path) -> bool:
    """Play 10,000 episodes of the rule assistant and its reference with one worker and with two."""
    seconds, digests = [], set()
    for count in (1, 2):
        words = ["run", "suite=test", "agents=[rule]", "trials=10", f"run.workers={count}", f"out=w{count}",
                 "run.progress=false", "run.compiled=false"]  # fmt: skip
        started = time.perf_counter()
        subprocess.run([COMMAND, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        lines = (folder / f"w{count}" / "timings.jsonl").read_text(encoding="utf-8").splitlines()
        digests.add(hashlib.sha256((folder / f"w{count}" / "episodes.jsonl").read_bytes()).hexdigest())
        seconds.append(time.perf_counter() - started)
        print(f"{count} worker(s): {len(lines)} episodes, {seconds[-1]:.0f} s in all")
    speed = seconds[0] / seconds[1]
    print(f"two workers {speed:.2f} x one (at least 1.6), {'same' if len(digests) == 1 else 'OTHER'} bytes")
    return speed >= 1.6 and len(digests) == 1


PARTS = {"kill": kill, "collect": collect, "report": report, "workers": workers}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    with tempfile.TemporaryDirectory() as folder:
        held = PARTS[parser.parse_args().part](Path(folder))
    print("holds" if held else "DOES NOT HOLD")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
