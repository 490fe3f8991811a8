"""How rich the grammar is and how well the rule parser reads it: the tables of docs/dialogue.md.

Run ``python -P -m supermarket_env.user_sim.wording.accuracy [CATALOGUE [VARIANT]]`` to print them.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.dialogue.acts import Fact
from supermarket_env.dialogue.parse import Parser
from supermarket_env.rules.codes import USER_ACTS
from supermarket_env.user_sim.wording.samples import Sample, draw_sample
from supermarket_env.user_sim.wording.wording import Wording

_WORDS = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Row:
    """Measurements of one act over n samples; rates 0..1, None where the act has no such slots."""

    act: str
    n: int
    distinct_2: float
    """Different word pairs / word pairs, punctuation and case aside."""
    top_share: float
    """Share of the most frequent sentence."""
    mean_words: float
    act_accuracy: float
    slot_f1: float | None
    """Of facts (need, slot, value), products, category, reason, cause and attribute together."""


def sentences(
    catalogue: Catalogue, act: str, n: int, *, first_key: int = 0, variant: str = "standard"
) -> list[tuple[Sample, str]]:
    """Return n samples of an act with their sentences in a set of phrasings."""
    wording = Wording(catalogue, variant=variant)
    out = []
    for key in range(first_key, first_key + n):
        sample = draw_sample(catalogue, act, key)
        text = wording.say(
            sample.response,
            manner=sample.manner,
            key=key,
            opening=sample.opening,
            topics=sample.topics,
            among=sample.among,
        )
        out.append((sample, text))
    return out


def distinct_2(texts: Iterable[str]) -> float:
    """Return different word pairs / all word pairs, case and punctuation aside; 0 without any pair.

    >>> distinct_2(["a b c", "a b"])
    0.6666666666666666
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        words = _WORDS.findall(text.lower())
        pairs.update(pairwise(words))
    total = sum(pairs.values())
    return len(pairs) / total if total else 0.0


def slots_of(facts: Sequence[Fact], **others: object) -> Counter[tuple[object, ...]]:
    """Return facts and other slots as a multiset of comparable tuples; empty slots are left out."""
    slots: Counter[tuple[object, ...]] = Counter(
        ("fact", f.need, f.attribute, tuple(sorted(f.value)) if isinstance(f.value, tuple) else f.value) for f in facts
    )
    for name, value in others.items():
        if isinstance(value, tuple):
            slots.update((name, v) for v in value)
        elif value:
            slots[(name, value)] += 1
    return slots


def measure(
    catalogue: Catalogue, parser: Parser, act: str, n: int, *, first_key: int = 0, variant: str = "standard"
) -> Row:
    """Return the measurements of one act over n > 0 samples."""
    pairs = sentences(catalogue, act, n, first_key=first_key, variant=variant)
    right = hit = said = true = 0
    for sample, text in pairs:
        truth = sample.response
        read = parser.user(text, asked=sample.asked, mentioned=sample.mentioned)
        right += read.act == act
        reason = "" if truth.reason == "no_reason" and read.reason == "none" else truth.reason
        a = slots_of(
            truth.facts,
            products=truth.products,
            category=truth.category,
            reason=reason,
            cause=truth.cause,
            attribute=truth.attribute if act in ("ask", "reject") else "",
        )
        b = slots_of(
            read.facts,
            products=read.products,
            category=read.category,
            reason=read.reason,
            cause=read.cause,
            attribute=read.attribute if read.act in ("ask", "reject") else "",
        )
        hit += sum((a & b).values())
        said += sum(b.values())
        true += sum(a.values())
    texts = [text for _, text in pairs]
    return Row(
        act=act,
        n=n,
        distinct_2=distinct_2(texts),
        top_share=Counter(texts).most_common(1)[0][1] / n,
        mean_words=sum(len(_WORDS.findall(t)) for t in texts) / n,
        act_accuracy=right / n,
        slot_f1=2 * hit / (said + true) if true else None,
    )


def measure_all(
    catalogue: Catalogue, parser: Parser, n: int, *, first_key: int = 0, variant: str = "standard"
) -> list[Row]:
    """Return one row for each user act."""
    return [measure(catalogue, parser, act, n, first_key=first_key, variant=variant) for act in USER_ACTS]


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table with a closing line of means."""
    lines = [
        "| act | n | distinct-2 | most frequent sentence | words | act accuracy | slot F1 |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        f1 = "-" if row.slot_f1 is None else f"{row.slot_f1:.3f}"
        lines.append(
            f"| `{row.act}` | {row.n} | {row.distinct_2:.3f} | {row.top_share:.1%} | {row.mean_words:.1f} "
            f"| {row.act_accuracy:.3f} | {f1} |"
        )
    scored = [row.slot_f1 for row in rows if row.slot_f1 is not None]
    mean_act = sum(row.act_accuracy for row in rows) / len(rows)
    lines.append(f"| all | {sum(r.n for r in rows)} | | | | {mean_act:.3f} | {sum(scored) / max(len(scored), 1):.3f} |")
    return "\n".join(lines)


def main(name: str = "embedded", variant: str = "standard") -> None:
    """Print the accuracy table for a catalogue and a set of phrasings, 1,000 sentences an act."""
    from supermarket_env.catalogue.load import load_catalogue
    from supermarket_env.store import load_store

    catalogue = load_catalogue(name)
    parser = Parser(catalogue, load_store("neighbourhood", catalogue))
    print(table(measure_all(catalogue, parser, 1000, variant=variant)))


if __name__ == "__main__":
    main(*sys.argv[1:3])
