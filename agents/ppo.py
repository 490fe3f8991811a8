"""A trained policy as an ordinary assistant: macro actions chosen by a network, deterministically."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np

from supermarket_env.agents.macros import MacroPlayer
from supermarket_env.agents.policy_network import PolicyNetwork
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.dialogue.view import AssistantView
from supermarket_env.errors import ConfigError

SHIPPED = "ppo.npz"


class Ppo:
    """Plays a policy that ``supermarket train`` wrote; observation, mask and messages are those it was trained with.

    Args:
        path: The policy file, or the folder of a training run; None is the shipped policy.
        name: Name in logs and tables.
        words: Whether messages carry text.
        network: The policy itself, in place of a file.

    Raises:
        ConfigError: The file cannot be read.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        name: str = "ppo",
        words: bool = True,
        network: PolicyNetwork | None = None,
    ) -> None:
        self.name = name
        if network is None:
            network = _shipped() if path is None else PolicyNetwork.load(_file_of(Path(path)))
        self.network = network
        self.player = MacroPlayer(words=words, config=self.network.thresholds)

    def start(self, view: AssistantView) -> None:
        """Forget the earlier episode."""
        self.player.start(view)

    def reply(self, view: AssistantView) -> AssistantMessage:
        """Return the message of the macro with the highest score."""
        self.player.look(view)
        observation = np.concatenate((view.relational(), self.player.features()))
        return self.player.message(self.network.choose(observation, self.player.mask()))


def _file_of(path: Path) -> Path:
    return path / "policy.npz" if path.is_dir() else path


def _shipped() -> PolicyNetwork:
    file = resources.files("supermarket_env.agents") / "data" / SHIPPED
    if not file.is_file():
        raise ConfigError("no trained policy is shipped; train one: supermarket train, and give its path")
    with resources.as_file(file) as path:
        return PolicyNetwork.load(path)
