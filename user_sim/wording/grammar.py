"""The sets of phrasings by name. A variant is one :class:`Grammar`; the code that speaks never knows which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from supermarket_env.user_sim.wording import (
    tables_ask,
    tables_complain,
    tables_decide,
    tables_disclose,
    tables_held_back,
    tables_social,
)
from supermarket_env.user_sim.wording.template import Block


@dataclass(frozen=True, slots=True)
class Grammar:
    """All patterns of one variant."""

    want: Block
    """Needs with a product type; ``{x}`` is a noun phrase."""
    browse: Block
    """Vague needs: only a department is known."""
    wish: Block
    """Wishes about a need that was named before."""
    answer: Block
    """Answers that may hold whole clauses."""
    answer_phrase: Block
    """Answers of which every fact is a phrase."""
    yes_attribute: Block
    """An asked attribute is wished for."""
    no_idea: Block
    """No preference about what was asked."""
    ask: Mapping[str, Block]
    """By field; ``attribute``, ``other`` and ``open`` serve what has no block of its own."""
    where: Block
    where_open: Block
    accept: Block
    accept_it: Block
    reject: Mapping[str, Block]
    """By reason; ``attribute_unnamed`` and ``allergen_unnamed`` when the response does not say which."""
    hesitate: Block
    hesitate_open: Block
    compare: Block
    against: tuple[str, ...]
    """What a single product is compared with."""
    compare_open: Block
    complain: Mapping[str, Block]
    """By cause."""
    about: tuple[str, ...]
    """How a complaint goes on to say what it is about."""
    thank: Block
    chat: Block
    bye: Mapping[str, Block]
    """By what ``bye_of`` makes of the end."""
    bye_of: Mapping[str, str]


STANDARD: Final = Grammar(
    want=tables_disclose.WANT,
    browse=tables_disclose.BROWSE,
    wish=tables_disclose.WISH,
    answer=tables_disclose.ANSWER,
    answer_phrase=tables_disclose.ANSWER_PHRASE,
    yes_attribute=tables_disclose.YES_ATTRIBUTE,
    no_idea=tables_disclose.NO_IDEA,
    ask=tables_ask.ASK,
    where=tables_ask.WHERE,
    where_open=tables_ask.WHERE_OPEN,
    accept=tables_decide.ACCEPT,
    accept_it=tables_decide.ACCEPT_IT,
    reject=tables_decide.REJECT,
    hesitate=tables_decide.HESITATE,
    hesitate_open=tables_decide.HESITATE_OPEN,
    compare=tables_decide.COMPARE,
    against=tables_decide.AGAINST,
    compare_open=tables_decide.COMPARE_OPEN,
    complain=tables_complain.COMPLAIN,
    about=tables_complain.ABOUT,
    thank=tables_social.THANK,
    chat=tables_social.CHAT,
    bye=tables_social.BYE,
    bye_of=tables_social.BYE_OF,
)

HELD_BACK: Final = Grammar(
    want=tables_held_back.WANT,
    browse=tables_held_back.BROWSE,
    wish=tables_held_back.WISH,
    answer=tables_held_back.ANSWER,
    answer_phrase=tables_held_back.ANSWER_PHRASE,
    yes_attribute=tables_held_back.YES_ATTRIBUTE,
    no_idea=tables_held_back.NO_IDEA,
    ask=tables_held_back.ASK,
    where=tables_held_back.WHERE,
    where_open=tables_held_back.WHERE_OPEN,
    accept=tables_held_back.ACCEPT,
    accept_it=tables_held_back.ACCEPT_IT,
    reject=tables_held_back.REJECT,
    hesitate=tables_held_back.HESITATE,
    hesitate_open=tables_held_back.HESITATE_OPEN,
    compare=tables_held_back.COMPARE,
    against=tables_held_back.AGAINST,
    compare_open=tables_held_back.COMPARE_OPEN,
    complain=tables_held_back.COMPLAIN,
    about=tables_held_back.ABOUT,
    thank=tables_held_back.THANK,
    chat=tables_held_back.CHAT,
    bye=tables_held_back.BYE,
    bye_of=tables_social.BYE_OF,
)

GRAMMARS: Final[Mapping[str, Grammar]] = {"standard": STANDARD, "held_back": HELD_BACK}
"""The variants a run may name."""
