"""Items: what is taken from logs, what a loader refuses, how sets are drawn and rotated."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.events.episode import Episode
from supermarket_env.events.validate import validate_episode
from supermarket_env.scorers.sie.build import build_set, rotate_set, set_status
from supermarket_env.scorers.sie.candidates import TAG_COLUMNS, candidate_items, is_trap, stratum_of, turn_tags
from supermarket_env.scorers.sie.items import (
    STRATA,
    Item,
    ItemSet,
    add_replies,
    read_item_list,
    read_items,
    shipped_traps,
    with_id,
    write_items,
)


def dialogue(lines: list[tuple[str, dict[str, Any]]], *, agent: str = "own", name: str = "e1") -> Episode:
    """An episode from ("u", {...}) and ("a", {...}) pairs; the user's first line is turn 0."""
    events: list[dict[str, Any]] = []
    turn = 0
    for who, fields in lines:
        if who == "a":
            turn += 1
            events.append({"k": "assistant", "turn": turn, **fields})
        else:
            events.append({"k": "user", "turn": turn, **fields})
    events.append({"k": "end", "reason": "left"})
    line = {"schema": "supermarket.episode/1", "episode_id": name, "agent": agent, "events": events}
    return validate_episode(line, "<test>", 1)


LINES: list[tuple[str, dict[str, Any]]] = [
    ("u", {"text": "Milk, please.", "act": "disclose"}),
    ("a", {"text": "Which one?"}),
    ("u", {"text": "The organic one.", "act": "answer"}),
    ("a", {"text": ""}),
    ("u", {"text": "", "act": "chat"}),
    ("a", {"text": "Aisle 3."}),
    ("u", {"text": "heh", "act": "chat", "irritation": 0.0}),
    ("a", {"text": "Anything else?"}),
]


def make_item(stratum: str, number: int, **changes: Any) -> Item:
    data = {
        "stratum": stratum,
        "turn": 1 + number % 10,
        "context": [{"role": "user", "text": f"{stratum} {number}"}, {"role": "assistant", "text": "Yes?"}],
        "user": "And?",
        "replies": {"own": "Well."},
    }
    return Item.model_validate(with_id(data | changes))


def pool(per_stratum: int, start: int = 0) -> list[Item]:
    return [make_item(s, n) for s in STRATA for n in range(start, start + per_stratum)]


def test_only_replies_with_two_turns_of_context_are_taken() -> None:
    items = candidate_items([dialogue(LINES)])
    assert [(item.turn, item.user, dict(item.replies)) for item in items] == [
        (2, "The organic one.", {"own": ""}),
        (4, "heh", {"own": "Anything else?"}),
    ]
    assert [len(item.context) for item in items] == [2, 4]
    assert [item.stage for item in items] == ["short", "middle"]
    assert [item.trap for item in items] == [False, True]
    assert candidate_items([dialogue(LINES[:2])]) == []


def test_equal_prompts_of_two_systems_become_one_item() -> None:
    other = [*LINES[:3], ("a", {"text": "Over there."})]
    items = candidate_items([dialogue(LINES), dialogue(other, agent="rule", name="e2")])
    assert items[0].replies == {"own": "", "rule": "Over there."}
    assert items[0].sources["rule"].episode_id == "e2"
    assert items[0].notes == ("rule: the wording is this project's templates, not the assistant's own",)


@pytest.mark.parametrize(
    ("event", "stratum"),
    [
        ({"act": "complain", "irritation": 0.9}, "complaint"),
        ({"act": "ask", "irritation": 0.9}, "emotional"),
        ({"act": "ask", "text": "Good grief, where is it?!"}, "emotional"),
        ({"act": "hesitate"}, "vague"),
        ({"act": "disclose", "slots": {"facts": [{"need": 1, "attribute": "department", "value": "dairy"}]}}, "vague"),
        ({"act": "disclose", "slots": {"facts": [{"need": 1, "attribute": "brand", "value": "B"}]}}, "pre_sale"),
        ({"act": "reject", "slots": {"reason": "no_reason"}}, "vague"),
        ({"act": "reject", "slots": {"reason": "price"}}, "pre_sale"),
        ({"act": "thank"}, "small_talk"),
        ({"text": "heh"}, "small_talk"),
        ({"act": "ask_where"}, "pre_sale"),
    ],
)
def test_strata(event: dict[str, Any], stratum: str) -> None:
    assert stratum_of(event) == stratum


def test_traps_are_noises() -> None:
    assert all(is_trap(text) for text in ("heh", "Hm...", "ok", "whatever", "...", "so?"))
    assert not any(is_trap(text) for text in ("ok, two of them", "Where?", "no"))
    traps = shipped_traps()
    assert len(traps) >= 10
    assert all(item.trap and not item.replies for item in traps)


def test_single_turn_items_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    item = make_item("vague", 1).model_dump(mode="json")
    file.write_text(json.dumps([item | {"context": item["context"][:1]}]), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"item 1: context: expected at least 2 turns of context .*, got 1"):
        read_item_list(file)
    file.write_text(json.dumps([item | {"stratum": "presale"}]), encoding="utf-8")
    with pytest.raises(ConfigError, match="item 1: stratum"):
        read_item_list(file)
    file.write_text("no json", encoding="utf-8")
    for reader in (read_item_list, read_items):
        with pytest.raises(ConfigError, match="expected a JSON file"):
            reader(file)


def test_a_set_is_the_same_after_reading(tmp_path: Path) -> None:
    made = build_set(pool(30), traps=shipped_traps(), seed=3)
    write_items(made, tmp_path / "items.json")
    assert read_items(tmp_path / "items.json") == made


def test_a_set_is_stratified_and_says_what_it_allows() -> None:
    made = build_set(pool(40), seed=1)
    assert Counter(item.stratum for item in made.items) == dict.fromkeys(STRATA, 30)
    assert made.status == "publishable"
    assert build_set(pool(40), per_stratum=24, seed=1).status == "minimum_viable"
    assert build_set(pool(3), per_stratum=3, allow_small=True).status == "too_small"
    assert set_status(pool(30)[1:]) == "minimum_viable"
    assert [i.id for i in made.items] == [i.id for i in build_set(pool(40)[::-1], seed=1).items]
    assert [i.id for i in made.items] != [i.id for i in build_set(pool(40), seed=2).items]
    with pytest.raises(ConfigError, match="too few candidates for 30 items a stratum: pre_sale 29"):
        build_set(pool(29))
    with pytest.raises(ConfigError, match="at least 24 items a stratum"):
        build_set(pool(29), per_stratum=10)


def test_traps_are_extra() -> None:
    trap = make_item("small_talk", 99, user="heh", trap=True)
    made = build_set([*pool(30), trap], traps=[trap])
    assert len(made.items) == 151
    assert sum(item.trap for item in made.items) == 1
    assert made.status == "publishable"


@pytest.mark.parametrize(("per_stratum", "exchanged"), [(30, 30), (24, 24)])
def test_a_fifth_rotates_and_what_left_never_comes_back(per_stratum: int, exchanged: int) -> None:
    first = build_set(pool(per_stratum), traps=shipped_traps(), per_stratum=per_stratum)
    made = rotate_set(first, pool(10, start=100))
    assert (len(made.added), len(made.retired)) == (exchanged, exchanged)
    assert Counter(i.stratum for i in made.items.items if not i.trap) == dict.fromkeys(STRATA, per_stratum)
    old, new = {i.id for i in first.items}, {i.id for i in made.items.items}
    assert len(old & new) == len(first.items) - exchanged
    assert (made.items.cycle, made.items.status) == (1, first.status)
    again = rotate_set(made.items, pool(per_stratum) + pool(10, start=200))
    assert not set(again.added) & (old | new)
    with pytest.raises(ConfigError, match="too few fresh candidates of pre_sale"):
        rotate_set(made.items, pool(per_stratum))


def test_replies_of_one_more_system() -> None:
    items = ItemSet(status="too_small", seed=0, items=(make_item("vague", 1), make_item("vague", 2)))
    name = items.items[0].id
    made = add_replies(items, "new", {name: "Hello."})
    assert made.systems == ("new", "own")
    assert "new" not in made.items[1].replies
    with pytest.raises(ConfigError, match="no item 'x'"):
        add_replies(items, "new", {"x": "y"})
    with pytest.raises(ConfigError, match="has a reply of it already"):
        add_replies(made, "new", {name: "y"})


def test_tags_of_every_turn() -> None:
    rows = turn_tags([dialogue(LINES)])
    assert [row["turn"] for row in rows] == [1, 2, 3, 4]
    assert all(tuple(row) == TAG_COLUMNS for row in rows)
    assert [row["is_silent"] for row in rows] == [False, True, False, False]
    assert [row["stratum"] for row in rows] == ["pre_sale", "pre_sale", "", "small_talk"]
