"""Configuration of the scripted user: the numbers of its mechanisms, each with range, default and source.

One key switches a mechanism off or makes it extreme. "uncalibrated" means no published figure was found; the defaults
of those come from trials of the game itself, so that asking, listing and paging all have a price.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from supermarket_env.rules.codes import TRIPS
from supermarket_env.rules.rows import TRAITS
from supermarket_env.rules.world import PARAMS, PARAMS_DTYPE, PARAMS_ROW
from supermarket_env.user_sim.persona import TRAIT_TABLE

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Amount = Annotated[float, Field(ge=0.0, le=100.0)]
Count = Annotated[int, Field(ge=0, le=1000)]

_TRAITS_BY_NAME = {trait.name: trait for trait in TRAIT_TABLE}

USER_VERSION = "1"
"""Version of the scripted user's rules; results of different versions are not comparable."""


class StockOutShares(BaseModel):
    """What a user means to do when a product is sold out and nobody helps. They sum to 1.

    Intentions, not outcomes: who looks for another brand may find none and then does something else. They are set so
    that the outcomes come out as published (GMA/FMI 2002, all categories: other store or left 31 %, other brand 26 %,
    same brand 19 %, delayed 15 %, dropped 9 %); ``supermarket realism`` measures it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    other_store: Share = 0.22
    other_brand: Share = 0.30
    same_brand: Share = 0.31
    delay: Share = 0.11
    drop: Share = 0.06

    def model_post_init(self, context: Any) -> None:
        """Check the sum."""
        total = self.other_store + self.other_brand + self.same_brand + self.delay + self.drop
        if abs(total - 1.0) > 1e-9:
            raise ValueError(f"the five stock-out shares must sum to 1, got {total:.6g}")


class Mechanisms(BaseModel):
    """The constants of the user's behaviour (all uncalibrated unless a source is named)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    u_match: Amount = 0.50
    """Utility of fulfilling all wishes (weight A)."""
    u_brand: Amount = 0.25
    """Utility of the wanted brand at loyalty 1 (B)."""
    u_quality: Amount = 0.20
    """Utility of the best against the worst quality (Q)."""
    u_price: Amount = 0.80
    """Utility lost when the relative price rises by 1 at sensitivity 1 (S)."""
    u_taste: Amount = 0.16
    """Standard deviation of the idiosyncratic term."""
    u_limit: Amount = 0.25
    """Utility lost above the price limit."""
    shelf_notice: Annotated[int, Field(ge=0, le=12)] = 3
    """Products noticed in one look at a shelf."""
    shelf_looks: Count = 3
    """Looks at a shelf before a need is put aside."""
    seek_brand: Annotated[int, Field(ge=0, le=1)] = 1
    """1: who looks for another or the same brand after a stock-out notices only such products."""
    notice_far: Share = 0.8
    """Probability of noticing a wanted section in view but out of reach."""
    search_cap: Count = 8
    """Moves spent looking for an unknown place before a need is put aside."""
    map_error: Share = 0.05
    """Probability that a remembered place is a wrong one."""
    finds_alone: Share = 0.2
    """Probability, per section, of finding a far place that was only named; 1: the first step need never be shown."""
    sold_out: Share = 0.1
    """Share of products sold out before the trip (scarcity dial; tuned: people choose popular goods among what is
    left, so that what they meet sold out comes to the published 8.3 %, FMI 2002)."""
    inspect: Share = 0.5
    """Probability, times hesitation, of reading the label before taking."""
    attention_budget: Count = 12
    """List items examined per need."""
    list_cost: Amount = 0.05
    """Patience per item shown."""
    overload: Amount = 0.5
    """Extra cost of long lists at hesitation 1 (choice overload, weak by default)."""
    hesitate_gap: Amount = 0.08
    """Utility difference below which two items are hard to choose between."""
    turn_cost: Amount = 0.25
    """Patience spent on every turn."""
    search_cost: Amount = 1.0
    """Patience spent, besides, on a move without knowing where to."""
    wait_cost: Amount = 0.6
    """Patience spent, besides, on a turn without walking or handling goods."""
    talk_cost: Share = 0.3
    """Probability that answering or reacting to a list takes the whole turn."""
    irr_same_list: Amount = 1.2
    """Irritation by a list that was shown before (this and the next ones times 0.5 + temper)."""
    irr_irrelevant: Amount = 0.8
    """Irritation by a list without anything that is wanted."""
    irr_repeated_question: Amount = 0.8
    """Irritation by a question that was answered already."""
    irr_third_question: Amount = 0.6
    """Irritation by the third question about one need, and every further one."""
    irr_wrong_goal: Amount = 0.3
    """Irritation by a goal that serves no open need."""
    irr_wrong_place: Amount = 1.0
    """Irritation on arriving at a place that does not hold what it was said to."""
    irr_pushy: Amount = 0.84
    """Irritation by an offer to pay or leave while needs are open."""
    irr_untrue: Amount = 1.0
    """Irritation on finding a claim untrue at the shelf."""
    irr_illegal: Amount = 0.1
    """Irritation by a hint that cannot be followed."""
    irr_relief: Share = 0.25
    """Share of irritation that an acknowledgement right after a complaint takes away."""
    irr_decay: Share = 0.9
    """Share of irritation kept from one turn to the next."""
    irr_leave: Amount = 12.0
    """Irritation, times (1.5 - temper), at which the user walks out."""
    irr_say: Amount = 0.8
    """Irritation, times (1.5 - temper), from which it shows in words."""
    give_up_pays: Share = 0.75
    """Probability that a user out of patience pays for what it has."""
    follow_trust: Share = 0.35
    """Weight of trust in following: serve x (follow_trust x trust + follow_compliance x compliance)."""
    follow_compliance: Share = 0.65
    """Weight of compliance in following."""
    serve_aim: Share = 1.0
    """How well a hint serves that leads to the present aim."""
    serve_neutral: Share = 0.3
    """How well a hint serves that leads no nearer."""
    serve_against: Share = 0.1
    """How well a hint serves that leads away from what is at hand."""
    trust_gain: Share = 0.08
    """Share of the trust missing to 1 that is won when a hint proved right."""
    trust_loss: Share = 0.3
    """Share of trust lost when a hint or claim proved wrong."""
    stock_out: StockOutShares = StockOutShares()
    impulse_rate: Share = 0.25
    """Impulse chance a move at impulse 0.5 is half of this; rises late in the trip."""
    impulse_late: Amount = 1.0
    """How much the chance of an impulse has grown when all needs are settled (1: doubled)."""
    max_impulse: Count = 10
    """Impulse goods a trip at most."""
    volunteer: Share = 0.3
    """Probability, scaled by disclosure and talkativeness, of telling something unasked."""
    volunteer_next: Share = 0.15
    """Added to it once all needs mentioned so far are settled."""
    ask_after: Count = 3
    """Moves a user looks for a place itself before it may ask the way."""
    ask_where: Share = 0.45
    """Probability of asking for an unknown place, times (0.4 + 0.6 talkativeness)."""
    ask_product: Share = 0.25
    """Probability of asking about a product before taking it, times (0.3 + talkativeness)."""
    thank: Share = 0.6
    """Probability of thanking for help, times (0.3 + 0.7 talkativeness)."""
    chat: Share = 0.3
    """Probability of a word in reply when there is nothing to say, times talkativeness."""


def wording_for(track: str, suite: str) -> Literal["standard", "held_back"]:
    """Return the set of phrasings of a suite: test suites of the text track use what development never hears.

    >>> wording_for("text", "robust_test"), wording_for("text", "dev"), wording_for("semantic", "test")
    ('held_back', 'standard', 'standard')
    """
    return "held_back" if track == "text" and suite.partition("@")[0].endswith("test") else "standard"


def _refuse_truth_values(data: Any, place: str) -> None:
    """Refuse ``true`` where a number belongs: it would be taken for 1."""
    if isinstance(data, bool):
        raise ValueError(f"{place}: expected a number, got {str(data).lower()}")
    if isinstance(data, Mapping):
        for key, value in data.items():
            _refuse_truth_values(value, f"{place}.{key}")
    elif isinstance(data, list | tuple):
        for value in data:
            _refuse_truth_values(value, place)


class UserConfig(BaseModel):
    """A scripted user population: mechanism constants and overrides of persona traits.

    ``traits`` fixes single traits of every persona (``{"trust": 1.0}``); ``ranges`` moves the drawn value of a trait
    to the same place in another range (``{"familiarity": [0.0, 0.2]}``), which makes a segment; the others are drawn
    per task.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "scripted"
    mechanisms: Mechanisms = Mechanisms()
    traits: dict[str, float] = Field(default_factory=dict)
    ranges: dict[str, tuple[float, float]] = Field(default_factory=dict)
    """Lowest and highest value of a trait, instead of those of the default population."""
    impulse_by_trip: dict[str, Annotated[float, Field(ge=0.0, le=10.0)]] = Field(
        default_factory=lambda: {"quick": 0.5, "recipe": 0.5, "stock_up": 1.6, "browse": 1.6}
    )
    """Factor on the trait impulse by kind of trip, 1 for those not named; it moves nobody out of the trait's range,
    and nobody whose impulse is fixed by ``traits``."""
    draw_keys: Literal["event", "turn"] = "event"
    """Keys of random draws: by event (the default) or by turn (to measure what event keys are worth)."""
    wording: Literal["standard", "held_back"] = "standard"
    """Set of phrasings; :func:`wording_for` says which suites are spoken with those held back."""

    @field_validator("mechanisms", "traits", "ranges", "impulse_by_trip", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, field: ValidationInfo) -> Any:
        _refuse_truth_values(value, str(field.field_name))
        return value

    def model_post_init(self, context: Any) -> None:
        """Check the trait names."""
        from supermarket_env.errors import unknown_name

        for trait in (*self.traits, *self.ranges):
            if trait not in TRAITS:
                raise ValueError(unknown_name("trait", trait, TRAITS))
        for trait, value in self.traits.items():
            known = _TRAITS_BY_NAME[trait]
            if not known.minimum <= value <= known.maximum:
                raise ValueError(f"trait {trait!r} must be in [{known.minimum}, {known.maximum}], got {value!r}")
        for trip in self.impulse_by_trip:
            if trip not in TRIPS:
                raise ValueError(unknown_name("trip", trip, TRIPS))
        for trait, (low, high) in self.ranges.items():
            known = _TRAITS_BY_NAME[trait]
            if not known.minimum <= low <= high <= known.maximum:
                raise ValueError(
                    f"range of trait {trait!r} must be [low, high] within [{known.minimum}, {known.maximum}], "
                    f"got [{low}, {high}]"
                )
            if trait in self.traits:
                raise ValueError(f"trait {trait!r} has both a fixed value and a range; give one of them")

    def trait(self, name: str, drawn: float, trip: str = "") -> float:
        """Return a trait's value on a kind of trip for the value that was drawn from the default population.

        >>> UserConfig(ranges={"familiarity": (0.0, 0.2)}).trait("familiarity", 0.8)
        0.2
        """
        if name in self.traits:
            return self.traits[name]
        if name == "impulse" and trip in self.impulse_by_trip:
            plain = self.trait(name, drawn)
            known = _TRAITS_BY_NAME[name]
            low, high = self.ranges.get(name, (known.minimum, known.maximum))
            return round(max(low, min(high, plain * self.impulse_by_trip[trip])), 4)
        if name not in self.ranges:
            return drawn
        low, high = self.ranges[name]
        default = _TRAITS_BY_NAME[name]
        place = min(1.0, max(0.0, (drawn - default.low) / (default.high - default.low)))
        return round(low + (high - low) * place, 4)

    @property
    def version(self) -> str:
        """Version of the rules behind this configuration."""
        return USER_VERSION

    def content_hash(self) -> str:
        """Return the SHA-256 of the configuration and the version."""
        content = self.model_dump(mode="json")
        payload = json.dumps(content | {"version": USER_VERSION}, sort_keys=True)
        return hashlib.sha256(payload.encode()).hexdigest()

    def params(self) -> dict[str, float]:
        """Return the constants as the rules read them (stock-out shares cumulated)."""
        values = self.mechanisms.model_dump()
        shares = values.pop("stock_out")
        values["so_other_store"] = shares["other_store"]
        values["so_other_brand"] = values["so_other_store"] + shares["other_brand"]
        values["so_same_brand"] = values["so_other_brand"] + shares["same_brand"]
        values["so_delay"] = values["so_same_brand"] + shares["delay"]
        return values

    def params_row(self, *, compiled: bool) -> Any:
        """Return the ``par`` table: a record array of one (compiled) or a list of one plain row."""
        values = self.params()
        row = PARAMS_ROW()
        for name, kind, _ in PARAMS:
            setattr(row, name, int(values[name]) if kind == "i" else float(values[name]))
        if not compiled:
            return [row]
        import numpy as np

        record = np.zeros(1, dtype=PARAMS_DTYPE)
        for name, _, _ in PARAMS:
            record[0][name] = getattr(row, name)
        return record
