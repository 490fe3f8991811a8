"""What a call costs besides the endpoint: our layer against a bare HTTP request to a local server that answers at once.

    python -P benchmarks/llm_overhead.py [--n 400] [--dry]

Calls of ours (form by schema, budget, recording committed, answer read and checked) and bare requests with the same
body go by turns, so that both meet the same machine. Writes the figures of docs/llm.md; exit code 1 when our layer
takes 2 ms of CPU time or more.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import httpx

from supermarket_env.llm.client import body_of
from supermarket_env.llm.config import LLMConfig
from supermarket_env.llm.runtime import Question, Runtime
from supermarket_env.llm.schema import record

LIMIT_MS: Final = 2.0
WARM: Final = 20
"""Calls before the first that counts: they open connections and files."""
DOC: Final = Path(__file__).resolve().parent.parent / "docs" / "llm.md"
MARKS: Final = (
    "<!-- overhead: begin (python benchmarks/llm_overhead.py writes this part) -->",
    "<!-- overhead: end -->",
)
SERVER: Final = """
import http.server
RAW = b'{"choices": [{"message": {"content": "{\\\\"say\\\\": \\\\"Hi\\\\"}"}, "finish_reason": "stop"}], '
RAW += b'"usage": {"prompt_tokens": 500, "completion_tokens": 60}}'
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize, disable_nagle_algorithm = "HTTP/1.1", -1, True
    def log_message(self, *words): pass
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", str(len(RAW)))
        self.end_headers()
        self.wfile.write(RAW)
        self.wfile.flush()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""
FORM: Final = record({"say": {"type": "string", "maxLength": 160}})
SYSTEM: Final = "You play a customer in a supermarket. " * 50


def question(number: int) -> Question:
    """A question as long as a user's."""
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"Assistant: <<hello {number}>>"}]
    return Question("user", 1, number, messages, FORM, key="overhead")


class Took(NamedTuple):
    """What an act took, in milliseconds."""

    wall: float
    cpu: float
    """Of all threads of this process: what else runs on the machine is not in it."""


def took(act: Callable[[], object]) -> Took:
    """Do it and measure it."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return Took(1000.0 * (time.perf_counter() - wall), 1000.0 * (time.process_time() - cpu))


def summary(found: list[Took]) -> tuple[float, float, float]:
    """Return the mean CPU time, and of the time on the clock the quickest tenth and the median."""
    wall = sorted(one.wall for one in found)
    few = wall[: max(1, len(wall) // 10)]
    return sum(one.cpu for one in found) / len(found), sum(few) / len(few), median(wall)


def measure(n: int) -> tuple[list[Took], list[Took], list[Took]]:
    """Return what calls of ours took, bare requests, and calls that the recording answers."""
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    ours: list[Took] = []
    bare: list[Took] = []
    again: list[Took] = []
    stack = ExitStack()
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        config = LLMConfig.model_validate(
            {"default": {"base_url": url, "model": "m"}, "prices": {"m": {"input": 1.0, "output": 2.0}}}
        )
        plain = question(0)
        request = {"model": "m", "messages": plain.messages, "max_tokens": 400, "temperature": 0.7, "schema": FORM}
        body = body_of(request, "json_schema", config.endpoint("user"))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        client = stack.enter_context(httpx.Client(trust_env=False))
        runtime = stack.enter_context(Runtime(config, Path(folder)))
        for number in range(n + WARM):
            mine = took(partial(runtime.ask, question(number)))
            theirs = took(lambda: client.post(f"{url}/chat/completions", json=body).json())
            if number >= WARM:
                ours.append(mine)
                bare.append(theirs)
        again.extend(took(partial(runtime.ask, question(number))) for number in range(WARM, n + WARM))
    finally:
        stack.close()
        server.kill()
        server.communicate()
    return ours, bare, again


def main() -> int:
    """Measure and write; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--n", type=int, default=400)
    parser.add_argument("--dry", action="store_true", help="print only")
    words = parser.parse_args()
    ours, bare, again = measure(words.n)
    mine, theirs = summary(ours), summary(bare)
    layer = tuple(a - b for a, b in zip(mine, theirs, strict=True))
    rows = [
        ("a call of ours, recorded", mine),
        ("a bare request", theirs),
        (f"our layer (the difference; limit {LIMIT_MS:g})", layer),
        ("a call that the recording answers", summary(again)),
    ]
    lines = [f"| {words.n} calls by turns, ms | CPU | clock, quickest tenth | clock, median |", "|---|---:|---:|---:|"]
    lines += [f"| {name} | {' | '.join(f'{value:.2f}' for value in values)} |" for name, values in rows]
    text = "\n".join(lines)
    print(text)
    if not words.dry:
        page = DOC.read_text(encoding="utf-8")
        before, rest = page.split(MARKS[0])
        DOC.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}", encoding="utf-8")
    return 0 if layer[0] < LIMIT_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
