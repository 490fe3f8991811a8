"""The process of the local server: ``python -m supermarket_env.llm.serve``. It ends with the process it serves."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from types import FrameType
from typing import Any

from supermarket_env.llm.local import MODEL_NAME, weights_path


def make_server(port: int, threads: int, slots: int, context: int) -> Any:
    """Return a running server on 127.0.0.1; port 0 takes a free one.

    Prompt cache and flash attention are off: with them the same request may get another answer.
    """
    os.environ["OMP_WAIT_POLICY"] = "passive"  # must be set before the engine is imported
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights_path())
    params.model_alias = {MODEL_NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = slots
    params.n_ctx = context * slots
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_prompt = False
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cors_origins = f"http://127.0.0.1:{port}"
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 0
    return xllamacpp.Server(params)


def serve(port: int, threads: int, slots: int, context: int, parent: int = 0) -> None:
    """Serve until a signal comes or the parent process is gone."""
    done = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        done.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    server = make_server(port, threads, slots, context)
    print(f"serving {MODEL_NAME} at {server.listening_address}/v1", flush=True)
    while not done.wait(1.0):
        if parent and os.getppid() != parent:
            return


def main() -> None:
    """Read the words of the command line and serve."""
    parser = argparse.ArgumentParser(description="Serve the local model on 127.0.0.1.")
    for name, default in (("port", 8089), ("threads", 2), ("slots", 1), ("context", 2048), ("parent", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    words = parser.parse_args()
    serve(words.port, words.threads, words.slots, words.context, words.parent)


if __name__ == "__main__":
    main()
