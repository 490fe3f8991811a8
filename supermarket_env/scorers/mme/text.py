"""Texts as the sub-metrics read them: spaces put right, words cut out."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BEFORE_MARK = re.compile(r"\s+([.,!?;:%)\]])")
_AFTER_OPEN = re.compile(r"([(\[])\s+")
_CLIPPED = re.compile(r"(?<=\w)\s*['’]\s*(s|t|m|d|ll|re|ve)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_MARKS = re.compile(r"([.!?])(?:\s*\1)+")


def tidy(text: str) -> str:
    """Undo the spacing of tokenised corpora, so that ``i ' m fine .`` and ``i'm fine.`` count the same.

    >>> tidy("i ' m fine , thanks .  you ?")
    "i'm fine, thanks. you?"
    """
    joined = " ".join(text.replace("’", "'").replace(" n't", "n't").split())
    joined = _CLIPPED.sub(lambda m: "'" + m.group(1), joined)
    joined = _AFTER_OPEN.sub(r"\1", _BEFORE_MARK.sub(r"\1", joined))
    return _MARKS.sub(r"\1", joined)


def words(text: str) -> list[str]:
    """Return the words in lower case, marks left out.

    >>> words("I'm fine, thanks!")
    ["i'm", 'fine', 'thanks']
    """
    return _WORD.findall(text.lower().replace("’", "'"))


def script(context: Sequence[str], speakers: tuple[str, str] = ("A", "B")) -> str:
    r"""Write a context as a script that ends where the reply begins, its speakers taking turns.

    >>> script(["Hello.", "Hi, how are you?"])
    'A: Hello.\nB: Hi, how are you?\nA:'
    """
    lines = [f"{speakers[at % 2]}: {tidy(line)}" for at, line in enumerate(context)]
    return "\n".join([*lines, f"{speakers[len(context) % 2]}:"])
