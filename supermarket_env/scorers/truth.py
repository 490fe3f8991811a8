"""The truth of a store, looked up by what an episode names: products, prices, places, attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Final

from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.schema import Catalogue, Product
from supermarket_env.errors import ConfigError, SupermarketError
from supermarket_env.events.episode import Episode
from supermarket_env.store import Store, load_store

_WORD: Final = re.compile(r"[0-9a-z\xdf-\xff]+(?:[.,][0-9]+)*%?")


def words_of(text: str) -> list[str]:
    """Return the lower-case words and numbers of a name.

    >>> words_of("Market Hall Low-Fat Milk 1.5 l")
    ['market', 'hall', 'low', 'fat', 'milk', '1.5', 'l']
    """
    return _WORD.findall(text.lower())


class StoreTruth:
    """A catalogue in a store, as a checker of statements asks about it."""

    def __init__(self, catalogue: Catalogue, store: Store) -> None:
        self.catalogue = catalogue
        self.store = store

    def number(self, product: str) -> int | None:
        """Return the product number of an id, None when the catalogue has no such product."""
        return self.catalogue.by_id.get(product)

    def is_carried(self, number: int) -> bool:
        """Whether the store has a shelf for the product."""
        return int(self.store.home_section[number]) >= 0

    def product(self, number: int) -> Product:
        """Return the record of a product number."""
        return self.catalogue.products[number]

    def sections_of(self, number: int) -> frozenset[str]:
        """Return the ids of the sections a product stands in: its home and, if any, its promotional place."""
        places = (int(self.store.home_section[number]), int(self.store.endcap_section[number]))
        return frozenset(self.store.section_ids[place] for place in places if place >= 0)

    def sections_of_type(self, name: str) -> frozenset[str]:
        """Return the ids of the sections where a product type is present; empty for an unknown type."""
        number = self.type_numbers.get(name)
        return (
            frozenset(self.store.section_ids[s] for s in self.store.type_sections[number])
            if number is not None
            else frozenset()
        )

    @cached_property
    def type_numbers(self) -> dict[str, int]:
        """Numbers of the product types by name."""
        return {kind.name: number for number, kind in enumerate(self.catalogue.types)}

    @cached_property
    def type_names(self) -> dict[str, str]:
        """Names of the product types by their words in lower case."""
        return {" ".join(words_of(name)): name for name in self.type_numbers}

    @cached_property
    def places(self) -> frozenset[str]:
        """Ids of all sections and nodes."""
        return frozenset(self.store.section_ids) | frozenset(self.store.node_ids)

    @cached_property
    def numbered_sections(self) -> dict[int, str]:
        """Ids of the sections by their number, for people who say "aisle 14" of S014."""
        return {int(digits): name for name in self.store.section_ids if (digits := re.sub(r"\D", "", name))}

    @cached_property
    def place_shapes(self) -> frozenset[str]:
        """How ids of places look, digits as ``0``: ``S000``."""
        return frozenset(re.sub(r"\d", "0", place) for place in self.places)

    @cached_property
    def _by_word(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for number, name in enumerate(self.catalogue.names):
            for word in words_of(name):
                found.setdefault(word, set()).add(number)
        return found

    @cached_property
    def type_heads(self) -> frozenset[str]:
        """Last words of the product types."""
        return frozenset(words[-1] for name in self.type_numbers if (words := words_of(name)))

    def is_known(self, word: str) -> bool:
        """Whether some product's name holds a word (lower case)."""
        return word in self._by_word

    def named_by(self, words: Iterable[str]) -> frozenset[int]:
        """Return the products whose names hold all these words; empty for no words.

        A short name, "Market Hall Ice Cream", names every product with these words.
        """
        sets = [self._by_word.get(word, set()) for word in words]
        if not sets:
            return frozenset()
        return frozenset(set.intersection(*sorted(sets, key=len)))


@lru_cache(maxsize=32)
def load_truth(catalogue: str, store: str) -> StoreTruth:
    """Return the truth of a catalogue in a store; the last ones are kept in the process.

    Raises:
        SupermarketError: If either cannot be loaded.
    """
    goods = load_catalogue(catalogue)
    return StoreTruth(goods, load_store(store, goods))


def truth_of(episode: Episode) -> StoreTruth | None:
    """Return the truth of an episode's store; None when the log does not name it or it cannot be loaded here."""
    if not episode.catalogue or not episode.store:
        return None
    try:
        return load_truth(episode.catalogue, episode.store)
    except SupermarketError:
        return None


def check_hashes(catalogues: dict[str, str], stores: dict[str, str], pairs: Iterable[tuple[str, str]]) -> None:
    """Check that what can be loaded here is what a run was played with.

    Args:
        catalogues: Content hashes by name, from the run's manifest.
        stores: The same of the stores.
        pairs: (catalogue, store) of the episodes.

    Raises:
        ConfigError: If a catalogue or store has another content than then.
    """
    for catalogue, store in sorted(set(pairs)):
        try:
            truth = load_truth(catalogue, store)
        except SupermarketError:
            continue  # scorers say of each episode that its store is not at hand
        for kind, name, ours, theirs in (
            ("catalogue", catalogue, truth.catalogue.content_hash, catalogues.get(catalogue)),
            ("store", store, truth.store.content_hash, stores.get(store)),
        ):
            if theirs is not None and ours != theirs:
                raise ConfigError(
                    f"{kind} {name!r} is not the one of this run: expected content {theirs[:12]}, found {ours[:12]}"
                )
