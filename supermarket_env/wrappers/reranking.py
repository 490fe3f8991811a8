"""Candidate re-ranking: an assistant leads the dialogue, the policy orders its lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from supermarket_env.agents.registry import AGENTS, make_agent
from supermarket_env.agents.shelf import Shelf, shelf_of
from supermarket_env.dialogue.acts import AssistantMessage
from supermarket_env.dialogue.view import HeardNeed
from supermarket_env.envs.arguments import is_whole
from supermarket_env.errors import ConfigError, MessageError, unknown_name
from supermarket_env.wrappers.layer import AnyEnv, Info, Layer, Step, add_space, add_values, unit_box
from supermarket_env.wrappers.retrieval import PRODUCT_FEATURES, describe, retrieve

ACTIONS: Final = ("scores", "order")


class CandidateRanking(Layer):
    """The policy gives scores or an order over retrieved candidates; the wrapper makes the list of them.

    Every turn the carrier (an assistant, ``rule`` unless told otherwise) writes the message. When it holds a list, up
    to ``candidates`` products are retrieved: the carrier's own first, then those of the heard type, then what the
    catalogue's search finds; and the list is replaced by the best ``list_length`` of the policy's order. When it
    holds none, the action is ignored.

    Actions: ``scores`` is ``Box(-1, 1, (candidates,))``, highest first, ties to the earlier candidate; ``order`` is
    ``MultiDiscrete([candidates + 1] * list_length)``: at each rank a candidate's number + 1, or 0 for none. A number
    without a candidate behind it and one that came before are left out. Without any the message shows no list.

    The observation gets ``products`` (candidates, len(PRODUCT_FEATURES)), ``candidate_mask`` and ``list_due``; the
    mask is in ``info["candidate_mask"]`` too, the ids are ``self.candidates``. Scores that fall from first to last
    give the carrier's own list.

    An action outside its space (NaN, infinite, out of range) is refused: a policy that has diverged must show.

    Args:
        env: ``Supermarket-v0``, wrapped or not.
        candidates: How many products, 10..500.
        list_length: Products in a list, 1..10.
        action: ``scores`` or ``order``.
        carrier: Name of a shipped assistant or a mapping as in ``agents=[...]``; it must not be privileged.

    Raises:
        ConfigError: an argument does not fit, or another wrapper that makes messages lies below.
    """

    over = {  # noqa: RUF012 - a class constant, as in Layer
        "MacroActions": "it makes the messages already",
        "TextJson": "it makes the messages already",
    }

    def __init__(
        self,
        env: AnyEnv,
        *,
        candidates: int = 50,
        list_length: int = 5,
        action: str = "scores",
        carrier: str | Mapping[str, Any] = "rule",
    ) -> None:
        super().__init__(env, candidates=candidates, list_length=list_length, action=action, carrier=carrier)
        if not (is_whole(candidates, 10, 500) and is_whole(list_length, 1, 10)):
            raise ConfigError(
                f"candidates must be in 10..500 and list_length in 1..10, got {candidates!r} and {list_length!r}"
            )
        if action not in ACTIONS:
            raise ConfigError(unknown_name("action", str(action), ACTIONS))
        if not isinstance(carrier, str | Mapping):
            raise ConfigError(f"the carrier is the name of an assistant or a mapping, got {carrier!r:.80}")
        if isinstance(carrier, str) and carrier in AGENTS and AGENTS[carrier].privileged:
            raise ConfigError(f"the carrier {carrier!r} is told the hidden truth; take another one")
        self.carrier = make_agent(carrier)
        self.n_candidates = candidates
        self.list_length = list_length
        self.candidates: tuple[str, ...] = ()
        self._scores = action == "scores"
        self._message = AssistantMessage()
        self._shelf: Shelf
        if self._scores:
            self.action_space = spaces.Box(-1.0, 1.0, (candidates,), np.float32)
        else:
            self.action_space = spaces.MultiDiscrete([candidates + 1] * list_length)
        space = env.observation_space
        for name, added in (
            ("products", unit_box(candidates, len(PRODUCT_FEATURES))),
            ("list_due", unit_box(1)),
            ("candidate_mask", spaces.MultiBinary(candidates)),
        ):
            space = add_space("CandidateRanking", space, name, added)
        self.observation_space = space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Start an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._begun = True
        view = self.view
        self._shelf = shelf_of(view.catalogue, view.store)
        self.carrier.start(view)
        return self._seen(observation, info, done=False)

    def step(self, action: Any) -> Step:
        """Play a turn with the carrier's message and the policy's list.

        Raises:
            MessageError: ``action`` is no element of the action space (shape, kind, range, NaN), whether a list is due
                or not; nothing has happened then.
            ResetNeeded: never reset.
        """
        self._must_have_begun()
        message = self._with_list(action)
        observation, reward, terminated, truncated, info = self.env.step(message)
        observation, info = self._seen(observation, info, done=terminated or truncated)
        return observation, reward, terminated, truncated, info

    def _seen(self, observation: Any, info: Info, *, done: bool) -> tuple[Any, Info]:
        """Let the carrier write its next message and retrieve what its list could hold."""
        self._message = AssistantMessage() if done else AssistantMessage.parse(self.carrier.reply(self.view))
        items = self._message.items
        self.candidates = ()
        need = self._need()
        if items:
            self.candidates = retrieve(self._shelf, need, items, self.n_candidates)
        products = describe(self._shelf, need, self.candidates, items, self.view.node, self.n_candidates)
        mask = np.zeros(self.n_candidates, dtype=np.int8)
        mask[: len(self.candidates)] = 1
        due = np.array([1.0 if items else 0.0], dtype=np.float32)
        for name, values in (("products", products), ("list_due", due), ("candidate_mask", mask)):
            observation = add_values(observation, name, values)
        return observation, {**info, "candidate_mask": mask.copy()}

    def _need(self) -> HeardNeed | None:
        """Return the need the carrier's list is for, as far as its message says."""
        heard = self.view.heard
        j = self._message.need
        return heard[j - 1] if 1 <= j <= len(heard) else None

    def _with_list(self, action: Any) -> AssistantMessage:
        try:
            order = self._order(np.asarray(action))
        except ValueError as error:  # rows of different lengths make no array
            if isinstance(error, MessageError):
                raise
            raise MessageError(f"expected numbers of shape {self.action_space.shape}, got {action!r:.80}") from None
        message = self._message
        if not message.items:
            return message
        items = tuple(self.candidates[k] for k in order)
        # The carrier's text names its own products.
        changed: dict[str, Any] = {"items": items, "text": ""}
        if not items and message.act == "recommend":
            changed["act"] = "chat"
        return message.model_copy(update=changed)

    def _order(self, action: NDArray[Any]) -> list[int]:
        """Return numbers of existing candidates, best first, each once."""
        kinds, what, low, high = ("fiu", "numbers", -1, 1) if self._scores else ("iu", "integers", 0, self.n_candidates)
        if action.shape != self.action_space.shape or action.dtype.kind not in kinds:
            raise MessageError(
                f"expected {what} of shape {self.action_space.shape}, got shape {action.shape} of {action.dtype}"
            )
        if not bool(np.all((action >= low) & (action <= high))):  # NaN is neither
            raise MessageError(f"expected {what} in {low}..{high}, got {action.min()}..{action.max()}")
        n = len(self.candidates)
        if self._scores:
            return [int(k) for k in np.argsort(-action[:n].astype(np.float64), kind="stable")[: self.list_length]]
        wanted = [int(k) - 1 for k in action.tolist()]
        return list(dict.fromkeys(k for k in wanted if 0 <= k < n))
