"""What both PettingZoo environments are made of: a store with its seats, their spaces, and how they are drawn."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces

from supermarket_env.envs.shared_store import SharedStore
from supermarket_env.errors import ConfigError


class Seats:
    """Assistants and users of one store; the agent-environment cycle and the parallel environment add the turns."""

    store: SharedStore
    max_cycles: int | None
    render_mode: str | None
    possible_agents: list[str]
    agents: list[str]

    def open_seats(self, max_cycles: int | None, render_mode: str | None, options: dict[str, Any]) -> None:
        """Open a store and its seats.

        Args:
            max_cycles: Turns after which all are truncated, at least 1; None for no limit but the game's own.
            render_mode: ``ansi`` or None.
            options: Arguments of :class:`SharedStore`.

        Raises:
            ConfigError: an argument is out of range.
        """
        if max_cycles is not None and max_cycles < 1:
            raise ConfigError(f"max_cycles must be at least 1 or None, got {max_cycles}")
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be 'ansi' or None, got {render_mode!r}")
        self.store = SharedStore(**options)
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self.possible_agents = self.store.agents
        self.agents = []
        self.observation_spaces = {name: both[0] for name, both in self.store.spaces.items()}
        self.action_spaces = {name: both[1] for name, both in self.store.spaces.items()}
        self.turn = 0

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space of an agent, always the same object."""
        return self.store.spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Dict:
        """Return the action space of an agent, always the same object."""
        return self.store.spaces[agent][1]

    def render(self) -> str | None:
        """Return the latest exchanges as text (``ansi``)."""
        return self.store.render() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held open."""
