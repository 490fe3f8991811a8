"""Live hooks: watch an episode while it runs.

Life cycle, per episode and in this order: ``on_episode_start`` once; then for every event of the log ``on_step``, and
right before it ``on_recommend`` for a shown list or ``on_navigate`` for a navigation suggestion or a goal; at last
``on_episode_end`` once. Hooks of one environment are called one after the other in the thread that steps it.

Ownership: a hook may keep what it is given, and must not change it. What a hook raises is not swallowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from supermarket_env.errors import ConfigError
from supermarket_env.events.episode import Episode, Event


class Hook:
    """Base class of no-ops; override what you need."""

    def on_episode_start(self, view: Any) -> None:
        """Be told that an episode starts.

        Args:
            view: What the assistant may know at the start.
        """

    def on_recommend(self, event: Event) -> None:
        """Be told of a recommendation list as shown (a ``recommend`` event)."""

    def on_navigate(self, event: Event) -> None:
        """Be told of a suggested navigation action or a navigation goal (a ``suggest`` or ``goal`` event)."""

    def on_step(self, event: Event) -> None:
        """Be told of any event of the log, in the order it happens."""

    def on_episode_end(self, episode: Episode) -> None:
        """Be given the finished episode, as a reader of the log would see it."""


_EVENT_METHODS = ("on_recommend", "on_navigate", "on_step")


class HookSet:
    """The hooks of one environment, sorted by what they listen to.

    An environment asks ``if hooks.has_step_hooks`` once per episode; without such hooks a step costs nothing.
    """

    __slots__ = ("_navigate", "_recommend", "_step", "has_step_hooks", "hooks")

    def __init__(self, hooks: Iterable[Hook] = ()) -> None:
        if not isinstance(hooks, Iterable):
            raise ConfigError(f"hooks are a list of Hook objects, got {type(hooks).__name__}")
        self.hooks: tuple[Hook, ...] = tuple(hooks)
        for hook in self.hooks:
            if not isinstance(hook, Hook):
                raise ConfigError(f"hooks are objects of supermarket_env.events.hooks.Hook, got {type(hook).__name__}")
        self._recommend = self._listeners("on_recommend")
        self._navigate = self._listeners("on_navigate")
        self._step = self._listeners("on_step")
        self.has_step_hooks: bool = bool(self._recommend or self._navigate or self._step)

    def _listeners(self, name: str) -> tuple[Callable[[Event], None], ...]:
        base = getattr(Hook, name)
        return tuple(getattr(hook, name) for hook in self.hooks if getattr(type(hook), name) is not base)

    def __bool__(self) -> bool:
        return bool(self.hooks)

    def episode_start(self, view: Any) -> None:
        """Tell all hooks that an episode starts."""
        for hook in self.hooks:
            hook.on_episode_start(view)

    def event(self, event: Event, *, navigation: bool = False) -> None:
        """Pass one event on.

        Args:
            event: The event as it will stand in the log.
            navigation: Whether a ``suggest`` event suggests a navigation type (goals always count).
        """
        kind = event["k"]
        if kind == "recommend":
            for listener in self._recommend:
                listener(event)
        elif kind == "goal" or (kind == "suggest" and navigation):
            for listener in self._navigate:
                listener(event)
        for listener in self._step:
            listener(event)

    def episode_end(self, episode: Episode) -> None:
        """Give all hooks the finished episode."""
        for hook in self.hooks:
            hook.on_episode_end(episode)


def has_step_hooks(hooks: Iterable[Hook]) -> bool:
    """Whether any hook listens to single events (else stepping need not call hooks at all).

    >>> has_step_hooks([Hook()])
    False
    """
    return any(getattr(type(hook), name) is not getattr(Hook, name) for hook in hooks for name in _EVENT_METHODS)
