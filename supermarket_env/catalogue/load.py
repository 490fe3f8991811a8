"""Find a catalogue by name or path; the one door that tasks, agents and the command line use."""

from __future__ import annotations

from pathlib import Path

from supermarket_env.catalogue.offers import offer_week, split_week
from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.errors import CatalogueError, unknown_name

CATALOGUE_NAMES = ("embedded", "instacart", "complete_journey")
_SUFFIXES = (".json", ".jsonl", ".csv")


def load_catalogue(name_or_path: str, *, seed: int = 0) -> Catalogue:
    """Return a catalogue; named ones are made once per process and seed.

    Args:
        name_or_path: ``"embedded"``, ``"instacart"``, ``"complete_journey"`` or a path to a ``.json``, ``.jsonl`` or
            ``.csv`` file; with ``+week<k>`` behind it (``"embedded+week2"``) the same goods in an offer week.
        seed: Seed of what a source draws itself (all of embedded; stock, ratings and popularity of instacart; stock of
            complete_journey). Files hold everything and ignore it.

    Raises:
        CatalogueError: Unknown name, or a broken file (the message names file, row and field).
        MissingExtraError: ``instacart`` or ``complete_journey`` without its optional package.
    """
    base, week = split_week(name_or_path)
    if week:
        return offer_week(load_catalogue(base, seed=seed), week)
    if name_or_path == "embedded":
        from supermarket_env.catalogue.embedded import embedded_catalogue

        return embedded_catalogue(seed)
    if name_or_path == "instacart":
        from supermarket_env.catalogue.instacart import instacart_catalogue

        return instacart_catalogue(seed)
    if name_or_path == "complete_journey":
        from supermarket_env.catalogue.complete_journey import journey_catalogue

        return journey_catalogue(seed)
    path = Path(name_or_path)
    if path.suffix.lower() in _SUFFIXES:
        from supermarket_env.catalogue.files import read_catalogue

        return read_catalogue(path)
    raise CatalogueError(
        f"{unknown_name('catalogue', name_or_path, CATALOGUE_NAMES)} A file must end in {', '.join(_SUFFIXES)}."
    )
