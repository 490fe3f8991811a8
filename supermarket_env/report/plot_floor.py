"""The floor plan with the paths of finished episodes and where hints were followed or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from supermarket_env.errors import ConfigError, LogError, SupermarketError, nearest
from supermarket_env.events.episode import Episode
from supermarket_env.events.log import read_episodes
from supermarket_env.report.look import save_figure, styles_of
from supermarket_env.store.layout import Layout
from supermarket_env.store.stock import Store

FOLLOWED: Final = "followed"
IGNORED: Final = "not followed"


class Step(NamedTuple):
    """Where an episode's user stood after a turn, and what became of the hint of that turn."""

    turn: int
    node: str
    hint: str | None
    """``followed``, ``not followed``, or ``None`` without an answered legal hint."""
    suggested: str
    action: str


def find_episode(run: Path, episode_id: str) -> Episode:
    """Return one episode of a run.

    Raises:
        LogError: If the run is none, or has no such episode; the nearest id is named.
    """
    names = []
    for episode in read_episodes(run):
        if episode.episode_id == episode_id:
            return episode
        names.append(episode.episode_id)
    raise LogError(f"{run}: no episode {episode_id!r} among {len(names)}.{nearest(episode_id, names)}")


def steps_of(episode: Episode) -> list[Step]:
    """Return the walk of an episode; turns without a logged position are left out."""
    at: dict[int, str] = {}
    hints: dict[int, Mapping[str, Any]] = {}
    actions: dict[int, Mapping[str, Any]] = {}
    for event in episode.events:
        kind = event["k"]
        if kind == "obs" and isinstance(event.get("at"), str):
            at[event["step"]] = event["at"]
        elif kind == "suggest" and event.get("legal", True):
            hints.setdefault(event["turn"], event["action"])
        elif kind == "user" and isinstance(event.get("action"), dict):
            actions[event["turn"]] = event["action"]
    found = []
    for turn in sorted(at):
        hint, action = hints.get(turn), actions.get(turn)
        outcome = None
        if hint is not None and action is not None:
            wanted = hint.get("params", {})
            done = action.get("params", {})
            same = hint["type"] == action["type"] and all(done.get(key) == wanted[key] for key in wanted)
            outcome = FOLLOWED if same else IGNORED
        found.append(Step(turn, at[turn], outcome, in_short(hint), in_short(action)))
    return found


def in_short(action: Mapping[str, Any] | None) -> str:
    """Return an action as words: its type and parameters."""
    if action is None:
        return ""
    return " ".join([str(action.get("type")), *(str(value) for value in (action.get("params") or {}).values())])


def save_floor(run: Path, episodes: Sequence[str], out: Path) -> list[Path]:
    """Draw the walked paths of up to six episodes of one store.

    Args:
        run: Run directory.
        episodes: Ids; the first episode of the run if there are none.
        out: Picture to write.

    Raises:
        LogError: If an episode is not in the run.
        ConfigError: If the episodes are of different stores, too many, or the picture cannot be written.
    """
    from supermarket_env.store.draw import draw_store

    chosen = [find_episode(run, name) for name in episodes] or [_first(read_episodes(run), run)]
    stores = {str(episode.store) for episode in chosen}
    if len(stores) > 1:
        raise ConfigError(f"one picture shows one store, got {', '.join(sorted(stores))}")
    if len(chosen) > 6:
        raise ConfigError(f"one picture shows up to six paths, got {len(chosen)}")
    plan = _stocked(chosen[0])
    layout = plan.layout if isinstance(plan, Store) else plan
    page = draw_store(plan)
    axes = page.axes[0]
    where = {node.id: (node.x, node.y) for node in layout.nodes}
    rows: list[dict[str, Any]] = []
    for place, (episode, style) in enumerate(zip(chosen, styles_of([e.agent for e in chosen]), strict=True)):
        shift = 0.14 * (place - (len(chosen) - 1) / 2)
        steps = steps_of(episode)
        spots = [(where[step.node][0] + shift, where[step.node][1] + shift) for step in steps]
        hinted = [step for step in steps if step.hint]
        share = sum(step.hint == FOLLOWED for step in hinted)
        axes.plot(
            [x for x, _ in spots],
            [y for _, y in spots],
            color=style.colour,
            linestyle=style.line,
            zorder=5,
            linewidth=1.6,
            label=f"{episode.agent}, {episode.task_id or episode.episode_id}: {len(steps) - 1} turns, "
            + (f"{share} of {len(hinted)} hints taken" if hinted else "no hints"),
        )
        for step, (x, y) in zip(steps, spots, strict=True):
            if step.hint:
                full = style.colour if step.hint == FOLLOWED else "white"
                axes.plot([x], [y], "o", color=style.colour, markerfacecolor=full, markersize=5, zorder=6)
            rows.append({"episode_id": episode.episode_id, "agent": episode.agent, "turn": step.turn, "node": step.node,
                         "x_m": where[step.node][0], "y_m": where[step.node][1], "hint": step.hint,
                         "suggested": step.suggested, "action": step.action})  # fmt: skip
    page.legend(loc="outside lower center", frameon=False, fontsize=8, ncols=min(2, len(chosen)),
                title="filled: hint followed, open: not followed", title_fontsize=8,
                handles=axes.get_legend_handles_labels()[0][-len(chosen):])  # fmt: skip
    return save_figure(page, out, rows)


def _stocked(episode: Episode) -> Store | Layout:
    """Return the store of an episode with its goods, the bare layout where the catalogue is not at hand."""
    from supermarket_env.catalogue.load import load_catalogue
    from supermarket_env.store.load import load_layout, load_store

    name = str(episode.store).partition("@")[0]
    try:
        return load_store(name, load_catalogue(str(episode.catalogue)))
    except (SupermarketError, OSError):
        return load_layout(name)


def _first(episodes: Iterator[Episode], run: Path) -> Episode:
    for episode in episodes:
        return episode
    raise LogError(f"{run}: no episode")
