"""From facts about needs to noun phrases and wishes; every fact is said once, none is added."""

from __future__ import annotations

from collections.abc import Sequence

from supermarket_env.dialogue.acts import Fact
from supermarket_env.user_sim.wording import phrases
from supermarket_env.user_sim.wording.names import Noun, lowered, noun_of
from supermarket_env.user_sim.wording.template import Draws

_SOME = ("some {x}", "{x}", "some {x}", "{x}")
_VAGUE = (
    "something from the {d} department", "something from the {d} section", "something nice from the {d} department",
    "something in the {d} line", "anything from the {d} section", "a little something from the {d} department",
)  # fmt: skip
_SOMETHING_GOOD = ("something", "anything", "a thing")
_FOR_TOPIC = ("for the {x}: ", "about the {x}: ", "as for the {x}: ", "on the {x}: ", "with the {x}: ")
_AND = (" and ", ", and ", " and ")
_ALSO = (" and ", ", and ", ", and also ", " plus ", ", then ", " and then ")


class FactSpeaker:
    """Puts facts into words. Holds the nouns of the product types it has met."""

    def __init__(self) -> None:
        self._nouns: dict[str, Noun] = {}
        self._departments: dict[str, str] = {}

    def noun(self, name: str) -> Noun:
        """Return the noun of a product type; an empty name gives "it"."""
        made = self._nouns.get(name)
        if made is None:
            made = self._nouns[name] = noun_of(name)
        return made

    def department(self, name: str) -> str:
        """Return a department's name as said in a sentence."""
        made = self._departments.get(name)
        if made is None:
            made = self._departments[name] = lowered(noun_of(name).x)
        return made

    def wants(self, draws: Draws, facts: Sequence[Fact], topics: Sequence[str]) -> tuple[str, bool]:
        """Return the facts as what is wanted, and whether it is a noun phrase ("some milk, from Hofland").

        Args:
            draws: Source of the choices.
            facts: At least one fact; facts of one need stand together.
            topics: Product type or department by need ordinal - 1, as known from earlier turns; may be shorter.
        """
        parts: list[str] = []
        start, nominal = 0, True
        for end in range(1, len(facts) + 1):
            if end < len(facts) and facts[end].need == facts[start].need:
                continue
            group = facts[start:end]
            phrase = self._noun_phrase(draws, group)
            if not phrase:
                nominal = nominal and start > 0
                phrase = self._about(draws, group, topics)
            parts.append(phrase)
            start = end
        if len(parts) == 1:
            return parts[0], nominal
        return "".join(
            [part + (draws.of(_ALSO) if i < len(parts) - 1 else "") for i, part in enumerate(parts)]
        ), nominal

    def _about(self, draws: Draws, group: Sequence[Fact], topics: Sequence[str]) -> str:
        need = group[0].need
        topic = topics[need - 1] if 0 < need <= len(topics) else ""
        it = self.noun(topic).it if topic else "it"
        wish = self.wish(draws, group, it)
        return draws.of(_FOR_TOPIC).replace("{x}", self.noun(topic).x) + wish if topic else wish

    def wish(self, draws: Draws, facts: Sequence[Fact], it: str = "it") -> str:
        """Return facts without a noun: "organic, from Hofland, at most 3 euros"."""
        if len(facts) == 1:
            return self.fragment(draws, facts[0], it)
        parts = [self.fragment(draws, fact, it) for fact in facts]
        return ", ".join(parts[:-1]) + draws.of(_AND) + parts[-1]

    def fragment(self, draws: Draws, fact: Fact, it: str = "it") -> str:
        """Return one fact as a phrase that can stand alone or follow a noun and a comma."""
        slot, value = fact.attribute, fact.value
        if value is None or value is False:
            return draws.of(phrases.indifference(slot))
        if value is True:
            return draws.of(phrases.features(slot))
        if slot == "diet":
            return draws.of(phrases.diet_phrases(_names(value)))
        if slot == "allergy":
            return draws.of(phrases.allergy_phrases(_names(value)))
        if slot == "price_limit" and isinstance(value, (int, float)):
            return draws.of(phrases.money_limit(float(value)))
        if slot == "quantity" and isinstance(value, (int, float)):
            return draws.of(phrases.amounts(int(value), it))
        text = str(value)
        if slot == "brand":
            return draws.of(phrases.brand_phrases(text))
        if slot == "size":
            return draws.of(phrases.SIZE_PHRASES.get(text) or (f"size {text}",))
        if slot == "product_type":
            return self.noun(text).x
        if slot == "department":
            return draws.of(_VAGUE).replace("{d}", self.department(text))
        return f"{phrases.plain(slot)} {text}"

    def _noun_phrase(self, draws: Draws, group: Sequence[Fact]) -> str:
        """Return "two large packs of organic milk from Hofland, up to 3 euros"; "" without type and department."""
        kind = department = brand = size = ""
        amount = 0
        before: list[str] = []
        after: list[Fact] = []
        for fact in group:
            slot, value = fact.attribute, fact.value
            if slot == "product_type" and isinstance(value, str):
                kind = value
            elif slot == "department" and isinstance(value, str):
                department = value
            elif value is True and len(before) < 2 and phrases.adjectives(slot) and draws.chance(700):
                before.append(draws.of(phrases.adjectives(slot)))
            elif slot == "quantity" and type(value) is int and kind and not amount:
                amount = value
            elif slot == "size" and isinstance(value, str) and value in phrases.SIZE_WORDS and kind and not size:
                size = draws.of(phrases.SIZE_WORDS[value])
            elif slot == "brand" and isinstance(value, str) and not brand and value != phrases.NO_BRAND:
                brand = value
            else:
                after.append(fact)
        if not kind and not department:
            return ""
        noun = self.noun(kind) if kind else self.noun("")
        head = self._head(draws, kind, department, before, amount, size)
        if brand:
            head += f" from {brand}" if draws.chance(600) else f" by {brand}"
        return ", ".join([head, *[self.fragment(draws, fact, noun.it) for fact in after]]) if after else head

    def _head(self, draws: Draws, kind: str, department: str, before: list[str], amount: int, size: str) -> str:
        adjectives = " ".join(before) + " " if before else ""
        if not kind:
            vague = draws.of(_VAGUE).replace("{d}", self.department(department))
            if not adjectives:
                return vague
            return f"{draws.of(_SOMETHING_GOOD)} {adjectives}from the {self.department(department)} department"
        head = adjectives + self.noun(kind).x
        pack = f"{_pack(draws, amount, size)} {{x}}" if amount or size else draws.of(_SOME)
        head = pack.replace("{x}", head)
        return f"{head} from the {self.department(department)} department" if department else head


def _pack(draws: Draws, amount: int, size: str) -> str:
    """Return "two large packs of" and its kin."""
    if not amount:
        return f"a {size} pack of" if draws.chance(700) else f"a {size} size of"
    count = phrases.number_word(amount) if draws.chance(600) else str(amount)
    if size:
        return f"{count} {size} pack{'s' if amount > 1 else ''} of"
    if amount == 1:
        return draws.of(("one pack of", "a single pack of", "just one pack of", "1 pack of"))
    return draws.of((f"{count} packs of", f"{count} times", f"{amount} x", f"{count} packages of"))


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(str(v) for v in value)
    return (str(value),) if value else ()
