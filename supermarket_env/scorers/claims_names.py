"""Names of products in running English: those the catalogue has, and those it has not.

A full name says that its product exists. What reads like the name of a product and is none, nor a short form of one,
is an untrue statement: a title-case run with a pack size, with a price beside it, or with a word no product has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from supermarket_env.dialogue.product_names import Mention
from supermarket_env.scorers.truth import StoreTruth, words_of

MONEY: Final = r"([0-9]{1,4}(?:[.,][0-9]{1,2})?)"

_WORD: Final = r"[A-Z\xc0-\xde][\w'&+%/-]*"
_SIZED: Final = re.compile(
    r"((?:[A-Z0-9\xc0-\xde][\w'&+%/.-]*\s+|(?:of|and|in|with|the|de|&|x|\d+)\s+){1,12}?)"
    r"(\d+(?:[.,]\d+)?)\s?(ml|l|cl|g|kg|pcs|pieces)\b"
)
_RUN: Final = rf"((?:(?:{_WORD}|&)\s+){{2,10}})"
_PRICED: Final = re.compile(rf"{_RUN}\({MONEY}\s?(?:EUR|€|\$|£)\)")
_SOLD_AT: Final = re.compile(
    rf"{_RUN}(?:is|at|for|costs?)\s+(?:only |just )?"
    rf"(?:(?:EUR|€|\$|£)\s?{MONEY}|{MONEY}\s?(?:EUR|[Ee]uros?\b|€|\$|£))"
)
_TITLE: Final = re.compile(_WORD)
_TITLES: Final = re.compile(rf"(?:{_WORD} ){{2,9}}{_WORD}")
_SMALL: Final = frozenset(["of", "and", "in", "with", "the", "de", "x", "&"])
_OPENERS: Final = frozenset(
    (
        "for", "as", "how", "then", "another", "my", "i", "our", "you", "your", "try", "here", "take", "please", "the",
        "a", "an", "this", "that", "it", "we", "let", "instead", "also", "perhaps", "maybe", "put", "read", "back",
        "on", "sorry", "yes", "no", "what", "which", "is", "are", "do", "does", "have", "look", "option", "options",
        "recommend", "suggest"
    )
)  # fmt: skip


def unknown_names(text: str, mentions: Sequence[Mention], truth: StoreTruth) -> Iterator[str]:
    """Yield what is called like a product and is none.

    Args:
        text: A reply's words.
        mentions: The full names of products in it.
        truth: The store.
    """
    for match in chain(_SIZED.finditer(text), _PRICED.finditer(text)):
        sized = match.re is _SIZED
        end = match.end() if sized else match.end(1)
        words = _title_run(match.group(1))
        if len(words) < 2 or _overlaps(match.start(), end, mentions):
            continue
        size = f"{match.group(2)} {match.group(3)}" if sized else ""
        if not _is_short_name(words, size, truth):
            yield " ".join([*words, size]).strip()
    for match in chain(_SOLD_AT.finditer(text), _TITLES.finditer(text)):
        priced = match.re is _SOLD_AT
        end = match.end(1) if priced else match.end()
        words = _title_run(match.group(1) if priced else match.group())
        if len(words) < (2 if priced else 3) or _overlaps(match.start(), end, mentions):
            continue
        parts = [part for word in words for part in words_of(word)]
        # Without a price, only what ends like a kind of goods is meant as a product.
        is_meant = priced or (parts[-1:] and parts[-1] in truth.type_heads)
        if is_meant and any(not truth.is_known(part) for part in parts):
            yield " ".join(words)


def _overlaps(start: int, end: int, mentions: Sequence[Mention]) -> bool:
    return any(mention.start < end and start < mention.end for mention in mentions)


def _is_short_name(words: Sequence[str], size: str, truth: StoreTruth) -> bool:
    wanted = [part for word in words for part in words_of(word)]
    return any(truth.is_carried(number) for number in truth.named_by([*wanted, *words_of(size)]))


def _title_run(words: str) -> list[str]:
    """Return the last run of title-case words of a phrase, without the words that begin a sentence.

    >>> _title_run("For the Velvet Peak Oat Drink ")
    ['Velvet', 'Peak', 'Oat', 'Drink']
    """
    run: list[str] = []
    for word in reversed(words.split()):
        if not (_TITLE.fullmatch(word) or (run and word.lower() in _SMALL)):
            break
        run.insert(0, word)
    while run and (run[0].lower() in _OPENERS or run[0].lower() in _SMALL):
        run.pop(0)
    return run
