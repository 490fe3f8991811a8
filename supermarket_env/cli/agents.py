"""``supermarket agents``."""

from __future__ import annotations


def agents() -> None:
    """List the shipped assistants, those that are told the truth marked with a star."""
    from supermarket_env.agents.registry import AGENTS

    width = max(map(len, AGENTS)) + 1
    for name, spec in AGENTS.items():
        print(f"{name + ('*' if spec.privileged else ''):<{width}}  {spec.description}")
    print("\n* told the hidden truth: a ceiling, not a competitor")
