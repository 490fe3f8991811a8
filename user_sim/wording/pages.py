"""The made parts of docs/dialogue.md: inventory, accuracy table and sample lines.

Run ``python -P -m supermarket_env.user_sim.wording.pages docs/dialogue.md`` to renew what stands between the markers
of that page. A test holds the inventory on the page equal to the codes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from supermarket_env.catalogue.schema import ATTRIBUTES, Catalogue
from supermarket_env.dialogue.acts import slot_names
from supermarket_env.dialogue.parse import Parser
from supermarket_env.errors import ConfigError
from supermarket_env.rules import codes
from supermarket_env.user_sim.wording.accuracy import measure_all, table
from supermarket_env.user_sim.wording.manner import Manner
from supermarket_env.user_sim.wording.samples import draw_sample
from supermarket_env.user_sim.wording.wording import Wording

FRESH_KEYS: Final = 100_000
"""First key of the published figures; the parser was written looking at smaller ones."""

_USER_SLOTS: Final = {
    "chat": "",
    "disclose": "need, facts",
    "answer": "need, attribute asked, facts (value None = no preference)",
    "ask": "product, attribute",
    "ask_where": "products or category",
    "accept": "product",
    "reject": "product, reason, attribute (what is missing, or the allergen)",
    "hesitate": "products",
    "request_compare": "products, attribute",
    "complain": "cause, products or category",
    "thank": "",
    "bye": "",
}
_ASSISTANT_SLOTS: Final = {
    "chat": "",
    "greet": "",
    "ask": "need, attribute",
    "recommend": "need, items",
    "inform": "product, attribute, value",
    "compare": "products, attribute",
    "guide": "goal, suggestion",
    "confirm": "need, product",
    "acknowledge": "emotion",
    "offer_checkout": "",
}


def inventory() -> str:
    """Return the tables of acts, slots, reasons, causes and emotions with their numbers, as Markdown."""
    parts = [
        _table(
            ("id", "assistant act", "slots"),
            [(i, f"`{a}`", _ASSISTANT_SLOTS[a]) for i, a in _numbered(codes.ASSISTANT_ACTS)],
        ),
        _table(("id", "user act", "slots"), [(i, f"`{a}`", _USER_SLOTS[a]) for i, a in _numbered(codes.USER_ACTS)]),
        _table(
            ("id", "reason of `reject`", "id", "cause of `complain`", "id", "emotion of `acknowledge`"),
            [
                tuple(cell for names in (codes.REASONS, codes.CAUSES, codes.EMOTIONS) for cell in _cell(names, i))
                for i in range(max(len(codes.REASONS), len(codes.CAUSES)))
            ],
        ),
        _table(
            ("id", "slot", "id", "slot", "id", "slot", "id", "slot"),
            [
                tuple(cell for column in range(4) for cell in _cell(slot_names(ATTRIBUTES), row + 10 * column))
                for row in range(10)
            ],
        ),
    ]
    return f"Inventory version {codes.INVENTORY_VERSION}.\n\n" + "\n\n".join(parts)


def samples(catalogue: Catalogue) -> str:
    """Return three lines of each user act in three moods, as a Markdown table."""
    wording = Wording(catalogue)
    rows: list[tuple[object, ...]] = []
    for act in codes.USER_ACTS:
        for key in (3, 14, 29):
            sample = draw_sample(catalogue, act, key)
            rows.append(
                (
                    f"`{act}`",
                    *(
                        wording.say(
                            sample.response,
                            manner=Manner(talkativeness=talk, temper=0.8, mood=mood, end=sample.manner.end),
                            key=key,
                            opening=sample.opening,
                            topics=sample.topics,
                            among=sample.among,
                        )
                        for mood, talk in ((2, 0.9), (0, 0.5), (-2, 0.5))
                    ),
                )
            )
    return _table(("act", "delighted and talkative", "calm", "furious"), rows)


def renewed(page: str, parts: dict[str, str]) -> str:
    """Return a page with the text between ``<!-- begin x -->`` and ``<!-- end x -->`` replaced.

    Raises:
        ConfigError: The page lacks the markers of a part.
    """
    for name, text in parts.items():
        pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if not pattern.search(page):
            raise ConfigError(f"expected the markers '<!-- begin {name} -->' and '<!-- end {name} -->' in the page")
        page = pattern.sub(lambda m, text=text: f"{m.group(1)}{text}\n{m.group(2)}", page)  # type: ignore[misc]
    return page


def _numbered(names: Sequence[str]) -> list[tuple[int, str]]:
    return list(enumerate(names))


def _cell(names: Sequence[str], i: int) -> tuple[object, object]:
    return (i, f"`{names[i]}`") if i < len(names) else ("", "")


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def main(path: str) -> None:
    """Renew the made parts of the page at ``path``."""
    from supermarket_env.catalogue.load import load_catalogue
    from supermarket_env.store import load_store

    catalogue = load_catalogue("embedded")
    parser = Parser(catalogue, load_store("neighbourhood", catalogue))
    page = Path(path)
    parts = {
        "inventory": inventory(),
        "accuracy": table(measure_all(catalogue, parser, 1000, first_key=FRESH_KEYS)),
        "samples": samples(catalogue),
    }
    page.write_text(renewed(page.read_text(encoding="utf-8"), parts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
