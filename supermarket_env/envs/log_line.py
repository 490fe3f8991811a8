"""The log line of a game: its heading, its last event and the evaluator's truth, plain or encoded."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from supermarket_env.envs.narrate import Event, short
from supermarket_env.errors import TaskError
from supermarket_env.events.log import encode_canonical
from supermarket_env.events.types import DEFAULT_NAV_SCHEMA, SCHEMA
from supermarket_env.store import Store
from supermarket_env.tasks.prepare import Prepared
from supermarket_env.tasks.quick_tour import quick_metres
from supermarket_env.tasks.tour import shortest_tour

if TYPE_CHECKING:
    from supermarket_env.envs.game import Game

_NAV_SCHEMA = {action: list(params) for action, params in DEFAULT_NAV_SCHEMA.items()}


def episode(game: Game) -> dict[str, Any]:
    """Return the log line of a game as a JSON-ready object."""
    return {**_heading(game), "truth": truth(game)}


def encoded(game: Game) -> bytes:
    """Return the log line of a game as bytes, line end included."""
    return encode_canonical({**_heading(game), "truth": _truth(game, game.prepared.encoded_truth)})


def _heading(game: Game) -> dict[str, Any]:
    """Return the log line without the truth."""
    labels = game.labels
    return {
        "schema": SCHEMA,
        "episode_id": labels.episode_id
        or f"{labels.agent}|{labels.user}|{labels.store}|{labels.task_id}|{labels.trial}",
        "agent": labels.agent,
        "user": labels.user,
        "store": labels.store or game.world.store.name,
        "catalogue": labels.catalogue or game.world.catalogue.name,
        "suite": labels.suite,
        "task_id": labels.task_id or game.task.id,
        "trial": labels.trial,
        "seed": game.seed,
        "stratum": labels.stratum or game.task.stratum,
        "track": game.track,
        "nav_schema": dict(_NAV_SCHEMA),
        "events": game.events,
    }


def end_event(game: Game) -> Event:
    """Return the last event of a finished game."""
    end: Event = {"k": "end", "reason": game.reason, "turn": game.turn}
    if game.reason != "infra_error":
        home = game.world.store.home_section
        homes = frozenset([home.item(p) for p, q in game.bought.items() if q > 0])
        end["walked_m"] = short(game.kernel.walked)
        tour = _tour_metres(game.world.store, homes, game.kernel.rules.compiled)
        if tour is not None:
            end["tour_m"] = tour
    return end


@lru_cache(maxsize=16384)
def _tour_metres(store: Store, sections: frozenset[int], compiled: bool) -> float | None:
    """Return the shortest walk for the bought goods; None when they stand in more places than can be solved."""
    try:
        return short(quick_metres(store, sections) if compiled else shortest_tour(store, sections).metres)
    except TaskError:
        return None


def truth(game: Game) -> dict[str, Any]:
    """Return the evaluator's truth of the episode so far; never for the assistant."""
    return _truth(game, game.prepared.logged_truth)


def _truth(game: Game, constant: dict[str, Any]) -> dict[str, Any]:
    """Return the truth with its constant part taken from ``constant`` (plain or encoded values)."""
    prepared = game.prepared
    made = dict(constant)
    utility = made["utility"] = dict(made["utility"])
    names = game.narrator.product
    violates: dict[str, list[str]] = {}
    added: dict[str, dict[str, float]] = {}
    for p in sorted(game.shown_products):
        more, violates[names[p]] = _product_truth(prepared, p)
        for need, value in more:
            added.setdefault(need, {})[names[p]] = value
    plain = prepared.logged_truth["utility"]
    for need, values in added.items():
        utility[need] = {**plain[need], **values}
    if game.world.catalogue.allergens_known:  # else hard-constraint figures are undefined, not zero
        made["violates"] = violates
    made["turns"] = list(game.ledger.true_turns)
    return made


@lru_cache(maxsize=65536)
def _product_truth(prepared: Prepared, p: int) -> tuple[list[tuple[str, float]], list[str]]:
    """Return what a shown or carted product adds to the truth of its task; not to be changed.

    Returns:
        Its utility by need, where the truth does not hold it anyway, and the constraints it breaks.
    """
    name, known = prepared.world.catalogue.ids[p], prepared.logged_truth["utility"]
    added = [(need, value) for need, value in prepared.utilities_of(p).items() if name not in known[need]]
    return added, prepared.violations(p)
