"""The policy network in PyTorch, as a maskable policy of sb3-contrib (extra ``rl``), and its way to NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from supermarket_env.agents.macros import MACROS
from supermarket_env.agents.policy_network import LAYERS, PolicyNetwork
from supermarket_env.errors import MissingExtraError
from supermarket_env.train.layout import index_arrays

try:
    import torch
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from torch import nn
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError(
        "training needs PyTorch and sb3-contrib: pip install 'supermarket_env[rl]' (CPU builds of torch will do)"
    ) from error


class NeedNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """Scores of all macros, and a summary of the observation; see ``supermarket_env.agents.policy_network``.

    Args:
        width: Units of the hidden layers.
    """

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        arrays = index_arrays()
        for name in ("need_at", "trip_at", "need_macros", "trip_macros"):
            self.register_buffer(name, torch.as_tensor(arrays[name]), persistent=False)
        n_need, n_trip = arrays["need_at"].shape[1], len(arrays["trip_at"])
        self.need = nn.Linear(n_need, width)
        self.need_trip = nn.Linear(n_trip, width)
        self.deeper = nn.Linear(width, width)
        self.summary = nn.Linear(n_trip + 2 * width, width)
        self.need_head = nn.Linear(width, arrays["need_macros"].shape[1])
        self.need_head_summary = nn.Linear(width, arrays["need_macros"].shape[1])
        self.trip_head = nn.Linear(width, len(arrays["trip_macros"]))
        order = np.argsort(np.concatenate((arrays["need_macros"].ravel(), arrays["trip_macros"])))
        self.register_buffer("order", torch.as_tensor(order), persistent=False)

    def read(self, x: Any) -> tuple[Any, Any]:
        """Return hidden features of the needs (batch, 8, width) and of the trip (batch, width)."""
        trip = x[:, self.trip_at]
        needs = torch.tanh(self.need(x[:, self.need_at]) + self.need_trip(trip)[:, None, :])
        needs = torch.tanh(self.deeper(needs))
        summary = torch.cat((trip, needs.amax(dim=1), needs.mean(dim=1)), dim=1)
        return needs, torch.tanh(self.summary(summary))

    def forward(self, x: Any) -> Any:
        """Return the scores (batch, N_MACROS) of observations (batch, n)."""
        needs, summary = self.read(x)
        of_needs = self.need_head(needs) + self.need_head_summary(summary)[:, None, :]
        return torch.cat((of_needs.flatten(1), self.trip_head(summary)), dim=1)[:, self.order]


class NeedExtractor(nn.Module):  # type: ignore[misc, unused-ignore]
    """Two networks of the same form, one for the scores and one for the value, in the shape sb3 expects."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.actor = NeedNetwork(width)
        self.critic = NeedNetwork(width)
        self.latent_dim_pi = len(MACROS)
        self.latent_dim_vf = width

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return scores and value features."""
        return self.forward_actor(x), self.forward_critic(x)

    def forward_actor(self, x: Any) -> Any:
        """Return the scores."""
        return self.actor(x)

    def forward_critic(self, x: Any) -> Any:
        """Return the value features."""
        return self.critic.read(x)[1]


class NeedPolicy(MaskableActorCriticPolicy):  # type: ignore[misc, unused-ignore]
    """The maskable actor-critic policy of sb3-contrib with :class:`NeedExtractor` inside."""

    def __init__(self, *args: Any, width: int = 64, **kwargs: Any) -> None:
        self.width = width
        super().__init__(*args, **{**kwargs, "ortho_init": False})

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = NeedExtractor(self.width)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()  # the extractor gives the scores themselves
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "width": self.width}


def export(policy: NeedPolicy, meta: Mapping[str, Any], blind: str = "none") -> PolicyNetwork:
    """Return the policy as NumPy arrays.

    Args:
        policy: The trained policy.
        meta: ``thresholds`` of the macros and where the policy comes from.
        blind: What it does not see.
    """
    actor = policy.mlp_extractor.actor
    arrays: dict[str, Any] = dict(index_arrays(blind))
    for name in LAYERS:
        layer = getattr(actor, name)
        arrays[f"{name}.w"] = layer.weight.detach().cpu().numpy().astype(np.float32)
        arrays[f"{name}.b"] = layer.bias.detach().cpu().numpy().astype(np.float32)
    return PolicyNetwork(arrays, {**meta, "macros": list(MACROS), "blind": blind})
