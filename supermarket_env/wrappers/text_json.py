"""Text in, JSON out: the door for language models."""

from __future__ import annotations

from typing import Any, Final

from gymnasium import spaces

from supermarket_env.envs.arguments import is_whole
from supermarket_env.envs.spaces import CHARSET
from supermarket_env.errors import ConfigError
from supermarket_env.wrappers.describing import describe_turn, fault_text
from supermarket_env.wrappers.layer import AnyEnv, Info, Layer, Step
from supermarket_env.wrappers.message_json import read_message

LINES: Final = CHARSET + "\n"
"""Characters of observations and of sampled actions."""
MAX_OBSERVATION: Final = 12_000
MAX_ACTION: Final = 4_000
"""Characters of a sampled action; longer replies are read all the same (up to ``MAX_JSON``)."""
_KNOWN: Final = frozenset(LINES)


class TextJson(Layer):
    """The observation is one text of what the assistant knows, the action one JSON object as text.

    The JSON is described by ``message_schema()``; ``INSTRUCTIONS`` is a system prompt that goes with it. A reply that
    is no such object plays a faulty empty message: ``info["fault"]`` and the next observation say what was wrong with
    it, and so many in a row as the game allows (3) end the episode. Nothing raises. Faults inside a sound object (an
    unknown id, a list too long) are reported the same way, and the rest of the message counts.

    Args:
        env: ``Supermarket-v0``, wrapped or not.
        turns: How many of the last turns the text writes out, 0..50.

    Raises:
        ConfigError: ``turns`` is out of range, or a wrapper lies below that makes messages or numbers.
    """

    over = {  # noqa: RUF012 - a class constant, as in Layer
        "MacroActions": "it makes the messages already",
        "CandidateRanking": "it makes the messages already",
        "FlatObservation": "the text takes the place of the numbers",
        "History": "the text holds the dialogue itself, see turns",
    }

    def __init__(self, env: AnyEnv, *, turns: int = 4) -> None:
        super().__init__(env, turns=turns)
        if not is_whole(turns, 0, 50):
            raise ConfigError(f"turns must be in 0..50, got {turns!r}")
        self.turns = turns
        self.action_space = spaces.Text(min_length=0, max_length=MAX_ACTION, charset=LINES)
        self.observation_space = spaces.Text(min_length=0, max_length=MAX_OBSERVATION, charset=LINES)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Start an episode."""
        _, info = self.env.reset(seed=seed, options=options)
        self._begun = True
        return self._text(""), {**info, "fault": ""}

    def step(self, action: Any) -> Step:
        """Play a turn with the message in ``action``; whatever it holds, nothing is raised.

        Raises:
            ResetNeeded: never reset.
        """
        self._must_have_begun()
        game = self.game
        start = len(game.events)
        _, reward, terminated, truncated, info = self.env.step(read_message(action))
        faults = [event for event in game.events[start:] if event["k"] == "fault" and event["who"] == "assistant"]
        fault = fault_text(faults[0]["kind"], faults[0]["detail"]) if faults else ""
        return self._text(fault), reward, terminated, truncated, {**info, "fault": fault}

    def _text(self, fault: str) -> str:
        text = describe_turn(self.view, turns=self.turns, error=fault, over=self.game.done)[:MAX_OBSERVATION]
        return text if _KNOWN.issuperset(text) else "".join(c if c in _KNOWN else "?" for c in text)
