"""The scripted user's voice: a dialogue act with slots becomes one line of everyday English.

What is said is the act and its slots, no more and no less; persona and mood choose the words. All variation is drawn
from one integer, so the same act, manner and key give the same line everywhere. A sentence costs a few microseconds:
patterns are compiled when the grammar is loaded, short names are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue.acts import Fact, UserResponse
from supermarket_env.errors import ConfigError, MessageError, unknown_name
from supermarket_env.rules.codes import USER_ACTS
from supermarket_env.store import Store
from supermarket_env.user_sim.wording import phrases, tables_frame
from supermarket_env.user_sim.wording.facts import FactSpeaker
from supermarket_env.user_sim.wording.grammar import GRAMMARS, Grammar
from supermarket_env.user_sim.wording.manner import SHARP, Manner
from supermarket_env.user_sim.wording.names import ShortNames
from supermarket_env.user_sim.wording.tables_complain import NAMED
from supermarket_env.user_sim.wording.tables_frame import Pools
from supermarket_env.user_sim.wording.template import Block, Draws

MAX_SENTENCE: Final = 300
"""Most characters of a line."""

_GENERIC_THAT: Final = ("that", "that one", "this one", "this")
_CATALOGUE_SLOTS: Final = frozenset(
    ("product_type", "department", "brand", "size", "quantity", "price_limit", "diet", "allergy", "anything")
)

_CLAUSES: Final = frozenset(("diet", "allergy"))

Body = tuple[str, bool, Pools, Pools]
"""The message without its frame, whether it is a question, the openers and the closings that fit it."""


class Wording:
    """Turns responses into sentences.

    Args:
        catalogue: Names of products, types and departments.
        store: The map; the standard grammar needs nothing of it.
        variant: Which set of phrasings, a key of ``grammar.GRAMMARS``.

    Raises:
        ConfigError: ``variant`` is unknown; names the nearest one.
    """

    def __init__(self, catalogue: Catalogue, store: Store | None = None, *, variant: str = "standard") -> None:
        if variant not in GRAMMARS:
            raise ConfigError(unknown_name("wording variant", variant, GRAMMARS))
        self.variant = variant
        self._grammar: Grammar = GRAMMARS[variant]
        self._names = ShortNames(catalogue)
        self._facts = FactSpeaker()
        self._store = store
        self._body: dict[str, Callable[[_Turn], Body]] = {
            "chat": self._chat,
            "disclose": self._disclose,
            "answer": self._answer,
            "ask": self._ask,
            "ask_where": self._ask_where,
            "accept": self._accept,
            "reject": self._reject,
            "hesitate": self._hesitate,
            "request_compare": self._request_compare,
            "complain": self._complain,
            "thank": self._thank,
            "bye": self._bye,
        }

    def say(
        self,
        response: UserResponse,
        *,
        manner: Manner,
        key: int,
        opening: bool = False,
        topics: Sequence[str] = (),
        among: Sequence[str] = (),
    ) -> str:
        """Return the line for a response: at most 300 characters, Latin-1, one line.

        Args:
            response: Act and slots; its ``text`` is not read.
            manner: What colours the words.
            key: Non-negative integer; all variation comes from it.
            opening: Whether this is the first line of the trip (it may then greet).
            topics: Product type or department of the n-th mentioned need at position n - 1, "" where unknown. With
                it a wish about an earlier need says which one it means.
            among: Ids of the products on the table; a short name is then chosen that tells brands apart.

        Raises:
            MessageError: The act is not a user act.
        """
        body_of = self._body.get(response.act)
        if body_of is None:
            raise MessageError(unknown_name("user act", response.act, USER_ACTS))
        turn = _Turn(response, manner, Draws(key), topics, among)
        text = self._framed(turn, body_of(turn), opening)
        if len(text) > MAX_SENTENCE:
            text = self._terse(turn, body_of)
        return text

    # --- the frame -----------------------------------------------------------------------------------------------

    def _framed(self, turn: _Turn, body: Body, opening: bool) -> str:
        text, question, openers, closings = body
        draws, tone, manner = turn.draws, turn.tone, turn.manner
        talk = manner.talkativeness
        loose = int(330 * talk) + 120 if tone >= SHARP else int(500 * talk) + 350
        if opening and draws.chance(loose + 250):
            text = _joined(draws.of(tables_frame.HELLO[tone]), text)
        elif draws.chance(loose):
            text = _joined(draws.of(openers[tone]), text)
        if question:
            closings = tables_frame.QUESTION
        if draws.chance(loose):
            text += draws.of(closings[tone])
        else:
            text += "?" if question else "."
        extra = turn.response.facts
        if extra and turn.response.act not in ("disclose", "answer"):
            text += f" {_capital(self._facts.wants(draws, extra, turn.topics)[0])}."
        if manner.hurried and turn.response.act not in ("bye", "thank") and draws.chance(350):
            text += draws.of(tables_frame.HURRY)
        return _capital(text)

    def _terse(self, turn: _Turn, body_of: Callable[[_Turn], Body]) -> str:
        """Return the same message without frame; in the worst case cut at a word."""
        text = _capital(body_of(turn)[0]) + "."
        if turn.response.facts and turn.response.act not in ("disclose", "answer"):
            text += f" {_capital(self._facts.wants(turn.draws, turn.response.facts, turn.topics)[0])}."
        if len(text) <= MAX_SENTENCE:
            return text
        return text[: MAX_SENTENCE - 3].rsplit(" ", 1)[0] + "..."

    # --- the acts ------------------------------------------------------------------------------------------------

    def _chat(self, turn: _Turn) -> Body:
        return *turn.line(self._grammar.chat), tables_frame.NEUTRAL, tables_frame.FINAL

    def _thank(self, turn: _Turn) -> Body:
        return *turn.line(self._grammar.thank), tables_frame.GLAD, tables_frame.FINAL

    def _bye(self, turn: _Turn) -> Body:
        how = self._grammar.bye_of.get(turn.manner.end, "")
        if how in ("", "paid"):
            return *turn.line(self._grammar.bye[how]), tables_frame.NEUTRAL, tables_frame.FINAL
        return *turn.line(self._grammar.bye[how]), tables_frame.SIGH, tables_frame.GRAVE

    def _disclose(self, turn: _Turn) -> Body:
        facts = turn.response.facts
        if not facts:
            return self._chat(turn)
        wanted, nominal = self._facts.wants(turn.draws, facts, turn.topics)
        block = self._grammar.wish
        if nominal:
            vague = not any(f.attribute == "product_type" for f in facts)
            block = self._grammar.browse if vague else self._grammar.want
        text, question = turn.line(block)
        return text.replace("{x}", wanted), question, tables_frame.NEUTRAL, tables_frame.STATEMENT

    def _answer(self, turn: _Turn) -> Body:
        response, draws, grammar = turn.response, turn.draws, self._grammar
        facts, asked = response.facts, response.attribute
        if not facts:
            if asked and draws.chance(600):
                return draws.of(phrases.indifference(asked)), False, tables_frame.NEUTRAL, tables_frame.FINAL
            return *turn.line(grammar.no_idea), tables_frame.NEUTRAL, tables_frame.FINAL
        if len(facts) == 1:
            fact = facts[0]
            if fact.value is None and fact.attribute == asked and draws.chance(350):
                return *turn.line(grammar.no_idea), tables_frame.NEUTRAL, tables_frame.FINAL
            if fact.value is True and draws.chance(700):
                return self._yes(turn, fact), False, tables_frame.GLAD, tables_frame.FINAL
        wanted, nominal = self._facts.wants(draws, facts, turn.topics if facts[0].need != response.need else ())
        clause = any(f.value is None or f.value is False or f.attribute in _CLAUSES for f in facts)
        block = grammar.answer if clause else grammar.answer_phrase
        if nominal and draws.chance(600):
            block = grammar.want
        text, question = turn.line(block)
        return text.replace("{x}", wanted), question, tables_frame.NEUTRAL, tables_frame.FINAL

    def _yes(self, turn: _Turn, fact: Fact) -> str:
        topics, need = turn.topics, fact.need
        it = self._facts.noun(topics[need - 1] if 0 < need <= len(topics) else "").it
        text, _ = turn.line(self._grammar.yes_attribute)
        return text.replace("{f}", turn.draws.of(phrases.features(fact.attribute))).replace("{it}", it)

    def _ask(self, turn: _Turn) -> Body:
        asked, draws = turn.response.attribute, turn.draws
        blocks = self._grammar.ask
        attribute = ""
        if asked in blocks:
            block = blocks[asked]
        elif not asked or asked == "anything":
            block = blocks["open"]
        elif asked in _CATALOGUE_SLOTS:
            block, attribute = blocks["other"], phrases.FIELD_WORDS[asked][0]
        else:
            block, attribute = blocks["attribute"], draws.of(phrases.adjectives(asked))
        text, question = turn.line(block)
        text = text.replace("{p}", self._products(turn, "and")).replace("{a}", attribute)
        return text, question, tables_frame.CURIOUS, tables_frame.STATEMENT

    def _ask_where(self, turn: _Turn) -> Body:
        response = turn.response
        if response.products:
            sought, be = self._products(turn, "and"), "is" if len(response.products) == 1 else "are"
        elif response.category:
            noun = self._facts.noun(response.category)
            sought, be = noun.x, noun.be
        else:
            text, question = turn.line(self._grammar.where_open)
            return text, question, tables_frame.CURIOUS, tables_frame.STATEMENT
        text, question = turn.line(self._grammar.where)
        if response.products:
            text = text.replace("the {x}", "{x}")
        return (
            text.replace("{x}", sought).replace("{be}", be),
            question,
            tables_frame.CURIOUS,
            tables_frame.STATEMENT,
        )

    def _accept(self, turn: _Turn) -> Body:
        if not turn.response.products:
            return *turn.line(self._grammar.accept_it), tables_frame.GLAD, tables_frame.FINAL
        text, question = turn.line(self._grammar.accept)
        return text.replace("{p}", self._products(turn, "and")), question, tables_frame.GLAD, tables_frame.FINAL

    def _reject(self, turn: _Turn) -> Body:
        response, draws = turn.response, turn.draws
        reason, attribute = response.reason or "none", ""
        if reason == "attribute" or reason == "allergen":
            if not response.attribute:
                reason += "_unnamed"
            elif reason == "attribute":
                attribute = draws.of(phrases.adjectives(response.attribute))
            else:
                attribute = phrases.plain(response.attribute)
        block = self._grammar.reject.get(reason)
        if block is None:
            raise MessageError(unknown_name("reason", reason, self._grammar.reject))
        text, question = turn.line(block)
        text = text.replace("{p}", self._products(turn, "or")).replace("{a}", attribute)
        return text, question, tables_frame.SORRY, tables_frame.GRAVE

    def _hesitate(self, turn: _Turn) -> Body:
        products = turn.response.products
        if not products:
            return *turn.line(self._grammar.hesitate_open), tables_frame.SIGH, tables_frame.GRAVE
        text, question = turn.line(self._grammar.hesitate)
        on = "between" if len(products) > 1 else "about"
        text = text.replace("{on}", on).replace("{ps}", self._products(turn, "and"))
        return text, question, tables_frame.SIGH, tables_frame.GRAVE

    def _request_compare(self, turn: _Turn) -> Body:
        response = turn.response
        if response.products:
            text, question = turn.line(self._grammar.compare)
            named = self._products(turn, "and")
            if len(response.products) == 1:
                named += f" and {turn.draws.of(self._grammar.against)}"
            text = text.replace("{ps}", named)
        else:
            text, question = turn.line(self._grammar.compare_open)
        if response.attribute:
            asked = response.attribute
            known = phrases.FIELD_WORDS.get(asked)
            text += f" on {known[0] if known else phrases.plain(asked)}"
        return text, question, tables_frame.CURIOUS, tables_frame.STATEMENT

    def _complain(self, turn: _Turn) -> Body:
        response, draws = turn.response, turn.draws
        cause = response.cause or "none"
        block = self._grammar.complain.get(cause)
        if block is None:
            raise MessageError(unknown_name("cause", cause, self._grammar.complain))
        text, question = turn.line(block)
        about = self._products(turn, "and") if response.products else ""
        if not about and response.category:
            about = "the " + self._facts.noun(response.category).x
        if cause in NAMED:
            plural = (
                not response.products and self._facts.noun(response.category).be == "are" and bool(response.category)
            )
            text = text.replace("{p}", about or "it")
            text = _plural(text) if plural else text
        elif about:
            text += draws.of(self._grammar.about).replace("{p}", about)
        return text, question, tables_frame.SIGH, tables_frame.GRAVE

    def _products(self, turn: _Turn, joint: str) -> str:
        """Return the products of the response as short names; a pointing word when there are none."""
        draws, products = turn.draws, turn.response.products
        if not products:
            return draws.of(_GENERIC_THAT)
        names = [draws.of(self._names.forms(p, turn.among or products)) for p in products]
        if len(names) == 1:
            return names[0]
        return f"{', '.join(names[:-1])} {joint} {names[-1]}"


class _Turn:
    """What the makers of one sentence share."""

    __slots__ = ("among", "draws", "manner", "response", "tone", "topics")

    def __init__(
        self, response: UserResponse, manner: Manner, draws: Draws, topics: Sequence[str], among: Sequence[str]
    ) -> None:
        self.response = response
        self.manner = manner
        self.tone = manner.tone
        self.draws = draws
        self.topics = topics
        self.among = among

    def line(self, block: Block) -> tuple[str, bool]:
        """Return one pattern of a block with its choices made, and whether it is a question."""
        pattern = self.draws.of(block.by_tone[self.tone])
        return pattern.text(self.draws), pattern.question


_PLURALS: Final = (
    (" is ", " are "),
    (" isn't ", " aren't "),
    (" has ", " have "),
    ("find it", "find them"),
)


def _plural(text: str) -> str:
    """Return a complaint about a plural noun with its verb in the plural."""
    for one, many in _PLURALS:
        text = text.replace(one, many)
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _joined(opener: str, text: str) -> str:
    """Return opener and message; after a finished sentence the message starts with a capital."""
    if opener[-2] in ".!?":
        return opener + _capital(text)
    return opener + text
