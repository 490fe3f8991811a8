"""Offer weeks: a catalogue with more price cuts, named ``<catalogue>+week<k>`` (``embedded+week2``).

In week k about an eighth of the goods that are not on promotion anyway are cheaper. The cut price is the price of the
whole trip: the one that is seen, judged and paid, by everybody. What is cut may also stand on an endcap, because the
planogram fills endcaps with the most popular goods on promotion.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from supermarket_env.catalogue.draws import Draws
from supermarket_env.catalogue.schema import Catalogue, Columns

OFFER_SHARE: Final = 0.125
"""Share of the goods without a promotion that get one."""
CUTS: Final = (15, 20, 25, 33)
"""Percent off, equally likely."""
_NAME: Final = re.compile(r"(.+)\+week([1-9]\d{0,2})")
_OFFERS, _ON_OFFER, _CUT = 7, 1, 2


def split_week(name: str) -> tuple[str, int]:
    """Return the base catalogue and the week of a name; week 0 is the catalogue itself.

    >>> split_week("embedded+week2"), split_week("embedded")
    (('embedded', 2), ('embedded', 0))
    """
    found = _NAME.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 0)


@lru_cache(maxsize=16)
def offer_week(base: Catalogue, week: int) -> Catalogue:
    """Return the catalogue in an offer week; the last few are kept in the process.

    Args:
        base: The catalogue without the offers.
        week: 1 to 999; equal numbers give equal offers.
    """
    draws = Draws(_OFFERS, week)
    price, promotion = base.price_cents.copy(), base.promotion.copy()
    for p in range(base.n_products):
        if promotion[p] == 0 and draws(_ON_OFFER, p) < OFFER_SHARE:
            promotion[p] = CUTS[int(draws(_CUT, p) * len(CUTS))]
            price[p] = max(1, round(int(price[p]) * (100 - int(promotion[p])) / 100))
    columns = Columns(
        ids=list(base.ids),
        names=list(base.names),
        brands=[base.brands[i] for i in base.brand_idx.tolist()],
        type_idx=base.type_idx,
        size=base.size,
        units=list(base.units),
        price_cents=price,
        attr_mask=base.attr_mask,
        diet_mask=base.diet_mask,
        allergen_mask=base.allergen_mask,
        popularity=base.popularity,
        quality=base.quality,
        promotion=promotion,
        stock=base.stock,
        nutrition=base.nutrition,
    )
    return Catalogue(
        f"{base.name}+week{week}",
        base.types,
        columns,
        allergens_known=base.allergens_known,
        synonyms=base.synonyms,
        notice=base.notice,
    )
