"""The judge as a scorer: rules, a language model, or people's ratings, chosen by ``backend``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.events.episode import Episode
from supermarket_env.scorers.base import Score, Scorer, ScoreSheet, wording_note
from supermarket_env.scorers.judge.dimensions import LANGUAGE_DIMENSIONS
from supermarket_env.scorers.judge.human import HumanJudge
from supermarket_env.scorers.judge.llm import LanguageModelJudge, load_model
from supermarket_env.scorers.judge.repetition import find_repeats
from supermarket_env.scorers.judge.rules import read_trip, rule_scores

BACKENDS: Final = ("rules", "llm", "human")
RULES_VERSION: Final = "rules-2"


class RulesJudge:
    """Five of the seven dimensions by rules; the same log always gives the same ratings."""

    name = "judge"
    version = RULES_VERSION

    def score(self, episode: Episode) -> ScoreSheet:
        """Return seven scores, claims and repetitions."""
        trip = read_trip(episode)
        claims = [claim.as_data() for turn in trip.turns for claim in turn.claims]
        details = {"claims": claims, "repeats": {k: list(v) for k, v in find_repeats(trip)._asdict().items() if v}}
        return ScoreSheet(tuple(with_notes(score, episode.agent) for score in rule_scores(trip)), details)


def with_notes(score: Score, agent: str) -> Score:
    """Return the score with the note on templates where it is about language."""
    note = wording_note(agent)
    if note is None or score.dim not in LANGUAGE_DIMENSIONS:
        return score
    return replace(score, notes=(*score.notes, note))


def make_scorer(
    backend: str = "rules",
    ratings: str | Path | None = None,
    model: Any = None,
    samples: int = 3,
    seed: int = 0,
) -> Scorer:
    """Build a judge.

    Args:
        backend: ``rules``, ``llm`` or ``human``.
        ratings: For people: the ratings file (CSV or JSON lines).
        model: For a language model: a callable, its import path, or the path of a file of recorded answers.
        samples: For a language model: answers per question.
        seed: For a language model: seed of its answers.

    Raises:
        ConfigError: If the backend is unknown or what it needs is missing or broken.
    """
    if backend not in BACKENDS:
        raise ConfigError(unknown_name("backend", str(backend), BACKENDS))
    if backend == "human":
        if ratings is None:
            raise ConfigError("the backend 'human' needs ratings=FILE (CSV or JSON lines)")
        return HumanJudge(Path(ratings))
    if backend == "llm":
        if model is None:
            raise ConfigError(
                "the backend 'llm' needs model: a callable, its import path, or a file of recorded answers (.jsonl)"
            )
        return LanguageModelJudge(load_model(model), samples=samples, seed=seed)
    return RulesJudge()
