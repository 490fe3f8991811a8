"""Published facts about shoppers, as data: what was found, where, how close is close enough, and what it is used for.

The tolerances follow one rule, written down before anything was measured. A published inequality or direction is
taken as it stands. A published number is met within a quarter of its value, a share within at least five percentage
points. A published range is met inside it. A fact about which the sources contradict each other is a range that is
reported and never judged. Bounds are open: a direction holds when the figure is above 0, not at it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

Role = Literal["tune", "held_out", "disputed", "uncalibrated", "not_expressible"]

ROLES: Final[dict[Role, str]] = {
    "tune": "may be used to set defaults; must hold",
    "held_out": "never used to set defaults; must hold",
    "disputed": "sources contradict each other; reported beside their range",
    "uncalibrated": "no source found; reported, nothing to compare with",
    "not_expressible": "the simulation cannot say anything about it",
}
RELATIVE: Final = 0.25
POINTS: Final = 0.05
"""Least half width of the tolerance of a share."""
FEW_ITEMS: Final = 5
"""Different products up to which a trip counts as one for a few items."""
ROOM: Final = 0.05
"""Part of the planned cost above which a budget leaves room; the study calls 5 % on target."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One published figure and what the simulation is asked about it."""

    id: str
    """Number of the fact, a letter for each figure of it."""
    text: str
    published: str
    """The figure as published, in words; empty for none."""
    source: str
    """Who found it and where to read it; empty for none."""
    role: Role
    measure: str = ""
    """Name of a measure of :mod:`supermarket_env.user_sim.realism`; empty for what cannot be expressed."""
    low: float = -math.inf
    high: float = math.inf
    unit: str = "share"
    note: str = ""
    """How the words of the source were turned into a figure, or why they cannot be."""

    @property
    def held_to(self) -> bool:
        """Whether the simulation must meet it."""
        return self.role in ("tune", "held_out")

    @property
    def tolerance(self) -> str:
        """The bounds in words, ``-`` for none."""
        if math.isinf(self.low) and math.isinf(self.high):
            return "-"
        if math.isinf(self.high):
            return f"above {self.low:.3g}"
        if math.isinf(self.low):
            return f"below {self.high:.3g}"
        return f"{self.low:.3g} to {self.high:.3g}"


def around(value: float, *, share: bool) -> tuple[float, float]:
    """Return the bounds of a published number by the common rule.

    >>> around(0.1, share=True)
    (0.05, 0.15)
    >>> around(-2.0, share=False)
    (-2.5, -1.5)
    """
    half = RELATIVE * abs(value)
    if share:
        half = max(half, POINTS)
    return round(value - half, 6), round(value + half, 6)


_BELL = "Bell, Corsten and Knox; knowledge.wharton.upenn.edu/article.cfm?articleid=2132"
_SLACK = "Baylor University; phys.org/news185627218.html"
_DRIFT = "University of Notre Dame; bizmagazine.nd.edu/issues/2015/fall-2015/that-gummy-bear-is-calling-your-name/"
_HUI13 = "Hui et al. 2013; scribd.com/document/646576659"
_HUI13_NYU = "Hui et al. 2013; nyu.edu, lesson-for-mobile-marketers (April 2013)"
_FRITO = "Frito-Lay, in the Chicago Tribune of 30 June 1999"
_HUI09 = "Hui, Fader and Bradlow 2009, 993 tracked paths; sciencenews.org/article/travels-shopper"
_LARSON = "Larson et al. 2005; knowledge.wharton.upenn.edu/article.cfm?articleid=1208"
_SORENSEN = "Sorensen; herbsorensen.com/herbsorensenauthor.html"
_TIME = "Sorensen (herbsorensen.com) against about 2,000 tracked shoppers (shopperretailinsight.com/time-to-shop/)"
_INSTACART = "Instacart 2017 order data; rstudio-pubs-static.s3.amazonaws.com/284199"
_DICKSON = "Dickson and Sawyer, 800 shoppers; msi.org, point-of-purchase behavior"
_GMA = "GMA/FMI 2002, 71,000 consumers, all categories; supermarketnews.com, stock-outs-sales-impact"
_FIELD = "Out-of-stock review, field test; scribd.com/document/161340836"
_PRICE = "1,851 estimates of 81 studies; studylib.net/doc/8861132"
_CATEGORY = "category-level estimates; ncbi.nlm.nih.gov/pmc/articles/PMC2804646"
_OVERLOAD = "Scheibehenne et al. (63 conditions) against Chernev et al. 2015 (99 observations)"
_LISTS = "NPD (retailwire.com) against Hartman 2013 (candyusa.com)"
_TALK = "human and simulated users compared; arxiv.org/abs/2603.11245"

FACTS: Final[tuple[Fact, ...]] = (
    Fact(
        "1a", "share of purchases that were not planned", "20 % against 59 % and 60-70 %",
        f"{_BELL}, against Inman and Winer and the trade", "disputed", "unplanned_share", 0.20, 0.70,
        note="different products kept that served no need of the trip",
    ),
    Fact(
        "1b", "unplanned share rises with the abstractness of the trip's goal", "rises", _BELL, "held_out",
        "unplanned_by_abstractness", low=0.0, unit="difference",
        note="stock-up and browse trips minus quick and recipe trips",
    ),
    Fact(
        "2a", "shoppers who leave room for what they did not plan", "more than 3/4", _SLACK, "tune", "budget_room",
        low=0.75, note="budget more than 5 % above the cost of the planned goods",
    ),
    Fact(
        "2b", "spending against the mental budget", "mean +$0.47, within 5 %", _SLACK, "not_expressible",
        note="the budget of a task is a ceiling and not a sum meant to be spent: the difference can only be negative",
    ),
    Fact(
        "3a", "unplanned choices grow later in the trip", "grows", _DRIFT, "tune", "unplanned_drift", low=0.0,
        unit="difference", note="unplanned share of the later half of what was taken minus that of the earlier half",
    ),
    Fact(
        "3b", "early in a trip one unplanned choice makes the next a planned one", "self-regulation", _DRIFT,
        "not_expressible", note="the user does not remember earlier temptations",
    ),
    Fact(
        "4a", "part of the store that is walked", "less than half", _HUI13, "tune", "coverage", high=0.5,
        note="standing points passed, of all",
    ),
    Fact(
        "4b", "part of a full-size store that is walked", "23 %", _FRITO, "held_out", "coverage_large",
        *around(0.23, share=True),
        note="as 4a, in the layout hyper: a small shop is covered sooner than the stores that were observed",
    ),
    Fact(
        "4c", "minutes in the store", "21 min", _FRITO, "not_expressible",
        note="the game has turns and metres, no clock",
    ),
    Fact(
        "5a", "length of a trip", "about 1,400 ft (427 m)", _HUI13_NYU, "not_expressible",
        note="the shipped layouts are several times smaller than the store observed",
    ),
    Fact(
        "5b", "unplanned spending rises with the way", "+55 ft (16.8 m) for $1", _HUI13_NYU, "tune", "spend_by_way",
        *around(1.0, share=False), unit="$ a 16.8 m",
        note="least-squares slope over trips of unplanned spending on metres walked; prices read as dollars",
    ),
    Fact(
        "5c", "coupons far off the planned path against near ones; promotions on the phone", "$21.29 against $13.83",
        _HUI13_NYU, "not_expressible", note="unassisted users get no coupons",
    ),
    Fact(
        "6a", "extra way is made between the stops, not by their order", "order near optimal, travel is not", _HUI09,
        "tune", "travel_part", low=0.5,
        note="(walked - shortest walk in the order bought) / (walked - shortest tour); the exact split was not at hand",
    ),
    Fact(
        "6b", "the larger the deviation from the shortest tour, the larger the basket", "rises", _HUI09, "held_out",
        "deviation_by_basket", low=0.0, unit="rank correlation", note="extra metres with different products bought",
    ),
    Fact(
        "6c", "order deviation goes with purchases, travel deviation does not", "order above travel", _HUI09,
        "held_out", "order_above_travel", low=0.0, unit="difference of correlations",
        note="rank correlation with different products bought, of the order's metres minus of the travel's",
    ),
    Fact(
        "7a", "the perimeter is the home base", "perimeter above aisles", _LARSON, "held_out", "perimeter_preference",
        low=1.0, unit="ratio", note="chance of passing a standing point of the perimeter over one inside an aisle",
    ),
    Fact(
        "7b", "14 shapes of paths, short excursions, counter-clockwise, faster near the checkout", "shapes", _LARSON,
        "not_expressible", note="users walk shortest ways at one speed and have no handedness",
    ),
    Fact(
        "8a", "part of the time spent on choosing and not on walking", "20 % against about 50 %", _TIME, "disputed",
        "handling_share", 0.20, 0.50, note="turns without walking, of all",
    ),
    Fact(
        "8b", "shoppers who leave with nothing walk more", "+80 %", _TIME, "disputed", "empty_handed_way",
        *around(0.8, share=False), unit="relative",
        note="moves against those of buyers, by trip type; from one side of the dispute in 8a",
    ),
    Fact(
        "9a", "most trips are for a few items", "most", _SORENSEN, "tune", "small_trips", low=0.5,
        note=f"paid trips with at most {FEW_ITEMS} different products",
    ),
    Fact(
        "9b", "share of those trips in sales", "a third", _SORENSEN, "not_expressible",
        note="a task has at most eight needs: the large baskets that make the other two thirds do not exist",
    ),
    Fact(
        "9c", "items of an order", "10.1", _INSTACART, "not_expressible",
        note="orders from home; at most eight needs here",
    ),
    Fact(
        "9d", "different products of a household in a year", "300-400 of 30,000-50,000", _SORENSEN, "not_expressible",
        note="a household makes one trip",
    ),
    Fact(
        "10", "seconds, brands and sizes at the shelf; knowing the price paid",
        "12 s; 1.2 brands; 58 % check the price", _DICKSON, "not_expressible",
        note="no clock; what is noticed at a shelf is noticed with its price, and handling is not modelled",
    ),
    Fact(
        "11a", "products met that are sold out", "8.3 %", _GMA, "tune", "met_sold_out", *around(0.083, share=True),
        note="products wanted and found sold out, of those found sold out or taken for a need",
    ),
    Fact(
        "11b", "shoppers' exact product missing", "7.9-11.8 %", _FIELD, "held_out", "met_sold_out", 0.079, 0.118,
        note="as 11a",
    ),
    Fact(
        "11c", "sold out: nothing is bought here", "31 + 9 + 15 = 55 %", _GMA, "tune", "sold_out_nothing",
        *around(0.55, share=True), note="what was bought afterwards for the same need, whatever the intention was",
    ),
    Fact(
        "11d", "sold out: another brand", "26 %", _GMA, "held_out", "sold_out_other_brand", *around(0.26, share=True),
        note="as 11c",
    ),
    Fact(
        "11e", "sold out: the same brand", "19 %", _GMA, "held_out", "sold_out_same_brand", *around(0.19, share=True),
        note="as 11c",
    ),
    Fact(
        "11f", "sold out: another store, another day or not at all", "31 / 15 / 9 %", _GMA, "not_expressible",
        note="the user does not say which; only their sum shows (11c)",
    ),
    Fact(
        "12a", "price elasticity of a brand", "-2.62", _PRICE, "tune", "brand_elasticity",
        *around(-2.62, share=False), unit="elasticity",
        note="half of the brands 25 % dearer, then the other half: change of log odds by change of log price",
    ),
    Fact(
        "12b", "price elasticity of a category", "0.27-0.81", _CATEGORY, "not_expressible",
        note="prices are judged against the category's median, so a category that gets dearer is not bought less",
    ),
    Fact(
        "13", "choice overload", "mean effect 0, or significant under conditions", _OVERLOAD, "not_expressible",
        note="disputed, and an unassisted user reads no lists",
    ),
    Fact(
        "14", "shoppers with a list", "94 % against 44 %", _LISTS, "not_expressible",
        note="disputed, and every user knows its needs; there is no list to leave at home",
    ),
    Fact(
        "15a", "wishes are told bit by bit", "gradually", _TALK, "held_out", "told_at_once", high=0.5,
        note="part of the facts ever told that was told in the first sentence",
    ),
    Fact(
        "15b", "real users push back and get frustrated", "they do", _TALK, "not_expressible",
        note="without an assistant there is nothing to push back against",
    ),
    Fact(
        "15c", "hints followed against the shopper's own plan", "", "", "uncalibrated", "hints_followed",
        note="with the assistant rule; no source says how often shoppers follow an assistant",
    ),
)  # fmt: skip
"""Every fact, in the order of their numbers."""
