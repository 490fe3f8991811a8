"""The manifest of a run: what was run, on what content, with what software."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from supermarket_env.compare.manifest import SCHEMA
from supermarket_env.rules.twins import source_hash
from supermarket_env.run.build import RunPlan
from supermarket_env.tasks.suites import SUITE_VERSION

COMPARABILITY = f"suites {SUITE_VERSION}"
"""Printed on every table and plot; results of different versions of suites and user are not comparable."""

SOFTWARE = ("numpy", "scipy", "gymnasium", "pydantic", "hydra-core", "numba")
"""Distributions whose versions are recorded."""


def make_manifest(plan: RunPlan, command_line: Sequence[str]) -> dict[str, Any]:
    """Return the manifest of a run as JSON-ready data."""
    return {
        "schema": SCHEMA,
        "package_version": _version("supermarket_env"),
        "git_commit": git_commit(Path(__file__).parent),
        "comparability": COMPARABILITY,
        "config": plan.config.resolved(),
        "config_hash": plan.config.content_hash(),
        "track": plan.config.track,
        "user": plan.user_identity,
        "suite": {"name": plan.suite.name, "hash": plan.suite.content_hash},
        "catalogues": dict(sorted(plan.catalogues.items())),
        "stores": dict(sorted(plan.stores.items())),
        "rules": source_hash(),
        "agents": [agent.name for agent in plan.agents],
        "privileged": list(plan.privileged),
        "reference": plan.config.reference,
        "n_episodes": len(plan.units),
        "metric_definition": _metric_definition(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "software": {name: _version(name) for name in SOFTWARE},
        "command_line": list(command_line),
    }


def describe_world(manifest: Mapping[str, Any]) -> str:
    """Return suite, store, user and track of a run in a few words, as titles show them.

    >>> describe_world({"suite": {"name": "dev"}, "stores": {"corner": "1f"}, "user": {"name": "scripted"}})
    'suite dev, store corner, user scripted'
    """
    # An offer week adds "@catalogue" to a store's name: the same store to a reader.
    stores = sorted({name.partition("@")[0] for name in manifest.get("stores") or {}})
    shown = ", ".join(stores) if len(stores) <= 3 else f"{len(stores)} layouts"
    words = [f"suite {manifest['suite']['name']}", f"store {shown or 'unknown'}", f"user {manifest['user']['name']}"]
    if manifest.get("track") == "text":
        words.append("text track")
    return ", ".join(words)


def git_commit(folder: Path) -> str | None:
    """Return the commit of the checkout a folder belongs to, ``-dirty`` added if it has changes; else ``None``."""
    try:
        commit = _git(folder, "rev-parse", "HEAD")
        # A folder that merely lies inside some other repository (an environment in a checkout) is not that commit.
        _git(folder, "ls-files", "--error-unmatch", "__init__.py")
        return commit + ("-dirty" if _git(folder, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, timeout=10, check=True)
    return done.stdout.strip()


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _metric_definition() -> str:
    from supermarket_env import metrics

    return str(metrics.DEFINITION_VERSION)
