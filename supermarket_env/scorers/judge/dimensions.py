"""The seven dimensions of dialogue quality and the rubric every judge is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RUBRIC_VERSION: Final = "1"
"""Raised whenever a word of the rubric changes."""

GRADES: Final[Mapping[int, str]] = {1: "very poor", 2: "poor", 3: "acceptable", 4: "good", 5: "excellent"}

RUBRIC: Final[Mapping[str, str]] = {
    "informativeness": (
        "Where the user needs information or guidance, the assistant gives concrete and relevant content that helps "
        "with the next decision or action. Vague statements do not count."
    ),
    "naturalness": (
        "The talk is natural, concise and coherent shopping talk: wording, tone and pace of everyday conversation, "
        "common sense, no system jargon, no formulas."
    ),
    "groundedness": (
        "What the assistant claims agrees with the scene, the products and the dialogue. No unsupported claims, no "
        "contradictions, nothing treated as known that the user cannot know."
    ),
    "preference_alignment": (
        "Stated needs, budget, preferences and constraints are respected throughout; after a rejection or hesitation "
        "the assistant adapts."
    ),
    "proactiveness": (
        "At reasonable opportunities the assistant's questions, guidance, comparisons, recommendations and "
        "confirmations move the shopping forward; it neither stalls nor wanders nor pushes."
    ),
    "non_repetition": (
        "No question, route, product or wording comes again without a new reason; when progress stalls, the "
        "assistant changes its strategy."
    ),
    "overall_satisfaction": (
        "The whole interaction: needs fulfilled, efficiency, trustworthiness, experience. Rate it on its own; do not "
        "work it out from the other ratings."
    ),
}
"""What each dimension asks, for judges of any kind."""

DIMENSIONS: Final = tuple(RUBRIC)
LANGUAGE_DIMENSIONS: Final = frozenset({"naturalness", "overall_satisfaction"})
"""Ratings that hang on the wording; for assistants that speak in templates they carry a note."""
