"""PPO with action masks in one file of plain PyTorch: no training library, no wrapper but ours (extra ``rl``).

python examples/train_pytorch.py --steps 2000
python examples/train_pytorch.py --steps 300000 --envs 32
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch import nn
from torch.distributions import Categorical

from supermarket_env.wrappers import FlatObservation, MacroActions

GAMMA, LAMBDA, CLIP, ENTROPY, EPOCHS, MINIBATCHES = 1.0, 0.95, 0.2, 0.01, 4, 4


def make(store: str, mode: str) -> gym.Env:
    """Return one environment: whole messages as actions, one row of numbers as observation."""
    env = gym.make("supermarket_env:Supermarket-v0", store=store, suite="train", texts=False, mode=mode)
    return FlatObservation(MacroActions(env))


class Policy(nn.Module):
    """An actor and a critic with two hidden layers each."""

    def __init__(self, n_in: int, n_out: int, width: int = 128) -> None:
        super().__init__()
        self.actor = nn.Sequential(
            nn.Linear(n_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, n_out)
        )
        self.critic = nn.Sequential(
            nn.Linear(n_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)
        )

    def distribution(self, x: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """Return the distribution over the macros that make sense."""
        return Categorical(logits=self.actor(x).masked_fill(~mask, -1e9))


def masks_of(infos: dict) -> torch.Tensor:
    """Return the action masks of all environments, (envs, macros) of bool."""
    return torch.as_tensor(np.stack(list(infos["action_mask"])).astype(np.bool_))


class Storage:
    """What one rollout keeps, (length, envs, ...)."""

    def __init__(self) -> None:
        self.x: list[torch.Tensor] = []
        self.mask: list[torch.Tensor] = []
        self.action: list[torch.Tensor] = []
        self.log_prob: list[torch.Tensor] = []
        self.value: list[torch.Tensor] = []
        self.reward: list[torch.Tensor] = []
        self.alive: list[torch.Tensor] = []

    def returns(self, last: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return advantages and returns by generalised advantage estimation."""
        advantages, ahead, next_value = [], torch.zeros_like(last), last
        for value, reward, alive in zip(self.value[::-1], self.reward[::-1], self.alive[::-1], strict=True):
            error = reward + GAMMA * alive * next_value - value
            ahead = error + GAMMA * LAMBDA * alive * ahead
            advantages.append(ahead)
            next_value = value
        found = torch.stack(advantages[::-1])
        return found, found + torch.stack(self.value)


def collect(envs: SyncVectorEnv, policy: Policy, x: torch.Tensor, mask: torch.Tensor, length: int) -> tuple:
    """Play ``length`` turns in all environments; returns the rollout, what is seen next, and rewards of ended trips."""
    kept, trips = Storage(), []
    for _ in range(length):
        with torch.no_grad():
            distribution = policy.distribution(x, mask)
            action = distribution.sample()
            kept.x.append(x)
            kept.mask.append(mask)
            kept.action.append(action)
            kept.log_prob.append(distribution.log_prob(action))
            kept.value.append(policy.critic(x)[:, 0])
        observations, rewards, ended, _, infos = envs.step(action.numpy())
        envs.score += rewards
        trips += envs.score[ended].tolist()
        envs.score[ended] = 0.0
        kept.reward.append(torch.as_tensor(rewards, dtype=torch.float32))
        kept.alive.append(torch.as_tensor(~ended, dtype=torch.float32))
        x, mask = torch.as_tensor(observations), masks_of(infos)
    return kept, x, mask, trips


def update(policy: Policy, optimizer: torch.optim.Optimizer, kept: Storage, last: torch.Tensor) -> None:
    """Make the PPO update of one rollout."""
    advantages, returns = kept.returns(last)
    columns = [torch.stack(c).flatten(0, 1) for c in (kept.x, kept.mask, kept.action, kept.log_prob)]
    advantages, returns = advantages.flatten(), returns.flatten()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(returns)).chunk(MINIBATCHES):
            x, mask, action, before = (column[rows] for column in columns)
            distribution = policy.distribution(x, mask)
            gain = advantages[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            ratio = (distribution.log_prob(action) - before).exp()
            actor_loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            critic_loss = (policy.critic(x)[:, 0] - returns[rows]).pow(2).mean()
            # Masked macros have probability 0 and take no part in the entropy.
            chance = distribution.probs
            entropy = -(chance * chance.clamp(min=1e-12).log()).sum(dim=1).mean()
            optimizer.zero_grad()
            (actor_loss + 0.5 * critic_loss - ENTROPY * entropy).backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    """Train, printing the mean reward of finished trips after each update."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--store", default="neighbourhood")
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    makers = [partial(make, options.store, options.mode)] * options.envs
    envs = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
    envs.score = np.zeros(options.envs)
    policy = Policy(envs.single_observation_space.shape[0], int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-4, eps=1e-5)
    observations, infos = envs.reset(seed=options.seed)
    x, mask = torch.as_tensor(observations), masks_of(infos)
    steps, begin = 0, time.time()
    while steps < options.steps:
        kept, x, mask, trips = collect(envs, policy, x, mask, options.length)
        steps += options.length * options.envs
        with torch.no_grad():
            last = policy.critic(x)[:, 0]
        update(policy, optimizer, kept, last)
        mean = f"{np.mean(trips):.3f}" if trips else "n/a"
        print(f"{steps:>8} steps, {len(trips):>3} trips, mean reward {mean}, {time.time() - begin:.0f} s", flush=True)
    if options.out:
        torch.save(policy.state_dict(), options.out)
    envs.close()


if __name__ == "__main__":
    main()
