"""Dialogues with satisfaction by several people: how they are read, and the simple signs a predictor looks at."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_WORD: Final = re.compile(r"[a-z']+")
THANKS: Final = re.compile(r"\b(thank|thanks|great|awesome|perfect|love|nice|cool|good|sounds|wonderful|lol)\b", re.I)
NO: Final = re.compile(r"\b(no|not|don't|didn't|never|nope|wrong|instead|other|else|another|already|hate|bad)\b", re.I)
SORRY: Final = re.compile(r"\b(sorry|can't|cannot|couldn't|unable|fail|don't know|not sure|unfortunately)\b", re.I)


class Utterance(NamedTuple):
    """One line of a dialogue; scores only for the user."""

    role: str
    text: str
    scores: tuple[int, ...]


class Dialogue(NamedTuple):
    """A dialogue and the ratings of the whole."""

    turns: list[Utterance]
    overall: tuple[int, ...]


class Sample(NamedTuple):
    """Things to predict: their dialogue, features, words, and the people's grades."""

    dialogue: list[int]
    signs: Floats
    words: list[set[str]]
    grades: list[tuple[int, ...]]

    @property
    def human(self) -> Floats:
        """Mean grade of each."""
        return np.array([sum(row) / len(row) for row in self.grades])


def read_dialogues(path: Path) -> list[Dialogue]:
    """Read a file of rated dialogues."""
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        turns: list[Utterance] = []
        overall: tuple[int, ...] = ()
        for line in block.splitlines():
            role, text, _, scores = line.split("\t")
            grades = tuple(int(score) for score in scores.split(",")) if scores else ()
            if text == "OVERALL":
                overall = grades
            else:
                turns.append(Utterance(role, text, grades))
        if turns and overall:
            found.append(Dialogue(turns, overall))
    return found


def bag(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def overlap(one: str, other: str) -> float:
    a, b = bag(one), bag(other)
    return len(a & b) / len(a | b) if a | b else 0.0


def turn_signs(turns: Sequence[Utterance], place: int) -> list[float]:
    """Return simple signs of a user turn: tone, questions, repetition, what the system said before it."""
    text = turns[place].text
    users = [t.text for t in turns[:place] if t.role == "USER"]
    systems = [t.text for t in turns[:place] if t.role == "SYSTEM"]
    last = systems[-1] if systems else ""
    return [
        float(bool(THANKS.search(text))),
        float(bool(NO.search(text))),
        float("?" in text),
        float("!" in text),
        math.log1p(len(text)),
        math.log1p(len(last)),
        float("?" in last),
        float(bool(SORRY.search(last))),
        max((overlap(text, t) for t in users), default=0.0),
        max((overlap(last, t) for t in systems[:-1]), default=0.0),
        overlap(text, last),
        place / max(1, len(turns) - 1),
        math.log1p(place),
        float(place > 0 and turns[place - 1].role == "USER"),
    ]


def turn_sample(dialogues: Sequence[Dialogue]) -> Sample:
    """Return every rated user turn."""
    rows = [(d, p) for d, found in enumerate(dialogues) for p, t in enumerate(found.turns) if t.scores]
    return Sample(
        [d for d, _ in rows],
        np.array([turn_signs(dialogues[d].turns, p) for d, p in rows]),
        [bag(dialogues[d].turns[p].text) for d, p in rows],
        [dialogues[d].turns[p].scores for d, p in rows],
    )


def whole_sample(dialogues: Sequence[Dialogue]) -> Sample:
    """Return every whole dialogue: means, extremes and last values of the signs of its user turns."""
    signs, words = [], []
    for found in dialogues:
        table_ = np.array([turn_signs(found.turns, p) for p, t in enumerate(found.turns) if t.role == "USER"])
        signs.append([*table_.mean(axis=0), *table_.max(axis=0), *table_[-1], math.log1p(len(found.turns))])
        users = [t.text for t in found.turns if t.role == "USER"]
        words.append(bag(" ".join(users[-3:])))
    return Sample(list(range(len(dialogues))), np.array(signs), words, [d.overall for d in dialogues])
