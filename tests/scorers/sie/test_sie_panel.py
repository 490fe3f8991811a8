"""Sheets, grades read back, results, versions, pictures and the scorer."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.events.validate import validate_episode
from supermarket_env.scorers.base import Scorer
from supermarket_env.scorers.sie.compare import Change, compare_items, compare_results, is_regression
from supermarket_env.scorers.sie.dimensions import DIMENSIONS
from supermarket_env.scorers.sie.figures import draw_radar, draw_versions
from supermarket_env.scorers.sie.items import STRATA, Item, ItemSet, with_id, write_items
from supermarket_env.scorers.sie.publication import publication_of
from supermarket_env.scorers.sie.ratings import read_ratings
from supermarket_env.scorers.sie.report import comparison_text, result_text
from supermarket_env.scorers.sie.result import SieResult, read_result, score_system, write_result
from supermarket_env.scorers.sie.scorer import NO_PANEL, NOT_IN_SET, make_scorer
from supermarket_env.scorers.sie.sheets import (
    KeyEntry,
    Sheets,
    make_sheets,
    read_key,
    sheet_csv,
    sheet_html,
    write_sheets,
)
from supermarket_env.scorers.sie.weights import STANDARD, TOOL


def make_item(number: int, **changes: Any) -> Item:
    data = {
        "stratum": STRATA[number % 5],
        "turn": 1 + number % 10,
        "context": [{"role": "user", "text": f"Hello {number}"}, {"role": "assistant", "text": "Yes?"}],
        "user": "Where is it?",
        "replies": {"one": f"here {number}", "two": "=there"},
        "sources": {"one": {"episode_id": f"e{number}", "turn": 1 + number % 10}},
    }
    return Item.model_validate(with_id(data | changes))


def make_set(count: int = 10, **changes: Any) -> ItemSet:
    return ItemSet(status="too_small", seed=0, items=tuple(make_item(n, **changes) for n in range(count)))


def fill(sheets: Sheets, grade: Any) -> dict[str, dict[str, dict[str, dict[str, float | None]]]]:
    """Grades as a panel would give them: grade(rater, item, system, dimension)."""
    found: dict[str, Any] = {}
    for entry in sheets.key.values():
        row = {name: grade(entry.rater, entry.item, entry.system, name) for name in DIMENSIONS}
        found.setdefault(entry.system, {}).setdefault(entry.item, {})[entry.rater] = row
    return found


def result_of(grade: Any, *, items: ItemSet | None = None, system: str = "one", **options: Any) -> SieResult:
    items = items or make_set()
    sheets = make_sheets(items, ["a", "b", "c"], seed=1)
    return score_system(items, fill(sheets, grade), system, STANDARD, resamples=200, **options)


def test_sheets_are_blind_and_shuffled() -> None:
    items = make_set(20)
    made = make_sheets(items, ["ann", "bob"], seed=5)
    assert {len(rows) for rows in made.rows.values()} == {40}
    assert len(made.key) == 80
    orders = {
        rater: [made.key[row.sheet_id].item for row in rows if row.side == "A"] for rater, rows in made.rows.items()
    }
    assert sorted(orders["ann"]) == sorted(orders["bob"])
    assert orders["ann"] != orders["bob"]
    first = {rater: [made.key[r.sheet_id].system for r in rows if r.side == "A"] for rater, rows in made.rows.items()}
    assert all(set(systems) == {"one", "two"} for systems in first.values())
    text = sheet_csv(made.rows["ann"])
    assert not any(item.id in text for item in items.items)
    assert "one" not in text.split("\n", 1)[0]
    assert make_sheets(items, ["ann", "bob"], seed=5) == made
    assert make_sheets(items, ["ann", "bob"], seed=6).key != made.key


def test_a_sheet_is_text_only() -> None:
    rows = make_sheets(make_set(1, emotion=False), ["ann"], seed=0).rows["ann"]
    table = list(csv.DictReader(sheet_csv(rows).splitlines()))
    assert {row["reply"] for row in table} == {"here 0", "'=there"}
    assert {row["empathy"] for row in table} == {"n/a"}
    page = sheet_html([rows[0].__class__(*("<b>", 1, "A", "c", "u", "<script>"), True)], "Sheet <1>")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<li ") == 25
    silent = make_sheets(make_set(1, replies={"one": ""}), ["ann"], seed=0).rows["ann"]
    assert silent[0].reply == "(no reply)"


def test_calibration_takes_the_same_ten_items() -> None:
    made = make_sheets(make_set(30), ["ann", "bob"], seed=0, systems=["one"], calibration=True)
    sets = [{made.key[row.sheet_id].item for row in rows} for rows in made.rows.values()]
    assert sets[0] == sets[1]
    assert len(sets[0]) == 10


def test_sheets_refuse_nonsense(tmp_path: Path) -> None:
    for raters in ([], ["a", "a"], ["../a"]):
        with pytest.raises(ConfigError, match="distinct names of raters"):
            make_sheets(make_set(), raters, seed=0)
    with pytest.raises(ConfigError, match="unknown system 'onw'"):
        make_sheets(make_set(), ["a"], seed=0, systems=["onw"])
    with pytest.raises(ConfigError, match="no item has a reply"):
        make_sheets(make_set(2, replies={}), ["a"], seed=0)
    made = make_sheets(make_set(), ["a"], seed=0)
    with pytest.raises(ConfigError, match="must not lie in the raters' folder"):
        write_sheets(made, tmp_path / "s", tmp_path / "s" / "deep" / "key.json")
    write_sheets(made, tmp_path / "s", tmp_path / "key.json")
    assert read_key(tmp_path / "key.json")[0] == made.key
    with pytest.raises(ConfigError, match="exists already"):
        write_sheets(made, tmp_path / "s", tmp_path / "key2.json")
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match="expected the key"):
        read_key(tmp_path / "bad.json")


KEY = {"x1": KeyEntry("ann", "i1", "one"), "x2": KeyEntry("ann", "i2", "one")}


def sheet_file(path: Path, rows: list[dict[str, str]]) -> Path:
    columns = ["sheet_id", *DIMENSIONS, "persona_bonus", "persona_breaks"]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_grades_are_read_back(tmp_path: Path) -> None:
    rows = [
        {"sheet_id": "x1", "relevance": "4", "empathy": "n/a", "naturalness": " 3 ", "persona_breaks": "1"},
        {"sheet_id": "x2"},
    ]
    found = read_ratings([sheet_file(tmp_path / "ann.csv", rows)], KEY)
    assert found == {
        "one": {
            "i1": {"ann": {"relevance": 4, "empathy": None, "naturalness": 3, "proactiveness": None, "consistency": 2}}
        }
    }


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"sheet_id": "x9", "relevance": "4"}, "line 2, sheet_id: 'x9' is not in the key"),
        ({"sheet_id": "x1", "relevance": "6"}, "line 2, relevance: expected a whole number from 1 to 5, got '6'"),
        ({"sheet_id": "x1", "relevance": "3.5"}, "expected a whole number"),
        ({"sheet_id": "x1", "relevance": "n/a"}, "expected a whole number"),
        ({"sheet_id": "x1", "persona_bonus": "3"}, "persona_bonus: expected a whole number from 0 to 2"),
        ({"sheet_id": "x1", "consistency": "5", "persona_breaks": "1"}, "does not follow"),
    ],
)
def test_grades_that_are_none_are_refused(tmp_path: Path, row: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_ratings([sheet_file(tmp_path / "ann.csv", [row])], KEY)


def test_a_reply_is_rated_once(tmp_path: Path) -> None:
    file = sheet_file(tmp_path / "ann.csv", [{"sheet_id": "x1", "relevance": "4"}])
    with pytest.raises(ConfigError, match="was rated already in"):
        read_ratings([file, file], KEY)
    (tmp_path / "b.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="missing columns: sheet_id"):
        read_ratings([tmp_path / "b.csv"], KEY)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_ratings([tmp_path / "none.csv"], KEY)


def test_a_result_reports_all_five_with_sub_scores(tmp_path: Path) -> None:
    items = make_set(20)
    turn = {item.id: item.turn for item in items.items}
    result = result_of(lambda r, i, s, d: 2 if turn[i] >= 8 else 4, items=items)
    assert result.short.total == pytest.approx(4)
    assert result.long.total == pytest.approx(2)
    assert result.overall.total == pytest.approx(2 * 0.3 + 4 * 0.7)
    assert (result.n_raters, result.overall.n_items, result.verdict) == (3, 20, "passes the floor")
    assert result.strata is None
    assert any("a trial" in warning for warning in result.warnings)
    write_result(result, tmp_path / "r.json")
    assert read_result(tmp_path / "r.json") == result
    text = result_text(result)
    assert all(name in text for name in DIMENSIONS)


def test_empathy_that_never_applied_leaves_no_total() -> None:
    result = result_of(lambda r, i, s, d: None if d == "empathy" else 5)
    assert result.overall.total is None
    assert result.verdict == "incomplete"
    assert "no total: nobody graded empathy" in result_text(result)


def test_a_low_dimension_blocks_whatever_the_total() -> None:
    result = result_of(lambda r, i, s, d: 2 if d == "proactiveness" else 5)
    assert result.overall.total is not None
    assert result.overall.total > 4
    assert (result.verdict, result.below_floor) == ("fix first", ("proactiveness",))


def test_traps_are_in_no_other_figure() -> None:
    items = make_set(10)
    trap = make_item(99, trap=True)
    items = items.model_copy(update={"items": (*items.items, trap)})
    result = result_of(lambda r, i, s, d: 1 if i == trap.id else 4, items=items)
    assert result.overall.total == pytest.approx(4)
    assert result.traps.total == pytest.approx(1)
    assert trap.id not in result.items


def test_what_may_be_published_is_about_the_system_and_not_the_set() -> None:
    """150 items, to which one system replied 150 times and the other four times."""
    items = make_set(150).model_copy(update={"status": "publishable"})
    few = [
        item if n < 4 else item.model_copy(update={"replies": {"one": "here"}}) for n, item in enumerate(items.items)
    ]
    items = items.model_copy(update={"items": tuple(few)})
    place = {item.id: n for n, item in enumerate(items.items)}

    def grade(r: str, i: str, s: str, d: str) -> int:
        return 3 + place[i] % 3

    whole = result_of(grade, items=items)
    assert (whole.status, whole.publication, whole.publication_reasons) == ("publishable", "yes", ())
    assert whole.strata is not None
    assert set(whole.strata) == set(STRATA)
    assert "for publication: yes" in result_text(whole)
    part = result_of(grade, items=items, system="two")
    assert (part.overall.n_items, part.status, part.publication, part.strata) == (4, "too_small", "no", None)
    assert "publishable" not in result_text(part)
    assert "for publication: no: fewer than 24 graded items of this system a stratum" in result_text(part)


def test_alpha_decides_over_publication() -> None:
    def verdict(alpha: float | None, raters: int = 3) -> str:
        return publication_of("publishable", raters, {"relevance": 0.9, "empathy": alpha}).verdict

    assert [verdict(a) for a in (0.8, 0.79, 0.667, 0.66, None)] == ["yes", "tentative", "tentative", "no", "no"]
    assert verdict(0.9, raters=2) == "no"
    found = publication_of("minimum_viable", 3, {"relevance": 0.5})
    assert found.reasons == (
        "fewer than 30 graded items of this system a stratum",
        "alpha below 0.667: relevance 0.500",
    )


def test_a_total_may_rise_while_the_gate_blocks() -> None:
    """Empathy falls from 3.9 to 3.0 and stays above the floor, the total rises."""
    items = make_set(10)
    place = {item.id: n for n, item in enumerate(items.items)}

    def old(r: str, i: str, s: str, d: str) -> int:
        return (3 if place[i] == 0 else 4) if d == "empathy" else 3

    def new(r: str, i: str, s: str, d: str) -> int:
        return 3 if d == "empathy" else 4

    found = compare_results([result_of(old, items=items), result_of(new, items=items)])[0]
    assert found.total.delta is not None
    assert found.total.delta > 0
    assert found.below_floor == []
    assert (found.regressions, found.verdict) == (["empathy"], "blocked")
    assert found.dims["empathy"].delta == pytest.approx(-0.9)
    assert "whatever the total did" in comparison_text(found)


@pytest.mark.parametrize(
    ("change", "falls"),
    [
        (Change(3.9, 3.6, -0.3, -0.7, 0.1, 9), False),
        (Change(3.9, 3.59, -0.31, -0.7, 0.1, 9), True),
        (Change(3.9, 3.8, -0.1, -0.2, -0.01, 99), True),
        (Change(3.9, 3.8, -0.1, -0.2, 0.0, 99), False),
        (Change(None, 3.8, None, None, None, 0), False),
    ],
)
def test_regression_gate(change: Change, falls: bool) -> None:
    assert is_regression(change) is falls


def test_versions_are_compared_on_common_items_only() -> None:
    old = {f"i{n}": dict.fromkeys(DIMENSIONS, 3.0) for n in range(6)}
    new = {f"i{n}": dict.fromkeys(DIMENSIONS, 4.0 if n < 6 else 1.0) for n in range(3, 20)}
    dims, total = compare_items(old, new, STANDARD, resamples=50)
    assert (dims["empathy"].n, total.n) == (3, 3)
    assert total.delta == pytest.approx(1.0)
    apart, nothing = compare_items({"a": old["i1"]}, {"b": old["i1"]}, STANDARD)
    assert apart["empathy"].delta is None
    assert nothing == (None, None, None, None, None, 0)


def test_different_weights_or_anchors_are_never_compared() -> None:
    one = result_of(lambda r, i, s, d: 4)
    with pytest.raises(ConfigError, match="standard@1 and tool@1"):
        compare_results([one, one.model_copy(update={"weights": TOOL})])
    with pytest.raises(ConfigError, match="anchors"):
        compare_results([one, one.model_copy(update={"anchors": "pharmacy-1"})])
    with pytest.raises(ConfigError, match="two results or more"):
        compare_results([one])


def test_cycles_that_are_too_close_are_named() -> None:
    first, second = (result_of(lambda r, i, s, d: 4, date=day) for day in ("2026-05-01", "2026-05-10"))
    assert any("at least 14" in w for w in compare_results([first, second])[0].warnings)
    assert any("48 hours" in w for w in compare_results([first, second], is_retest=True)[0].warnings)
    other = first.model_copy(update={"items": {}})
    assert compare_results([first, other])[0].verdict == "not comparable"


def test_pictures(tmp_path: Path) -> None:
    one, two = result_of(lambda r, i, s, d: 4), result_of(lambda r, i, s, d: 3)
    assert draw_radar([one, two], tmp_path / "radar.png").stat().st_size > 5000
    assert draw_versions(compare_results([one, two]), tmp_path / "v.svg").stat().st_size > 5000
    with pytest.raises(ConfigError, match="all five"):
        draw_radar([result_of(lambda r, i, s, d: None if d == "empathy" else 4)], tmp_path / "x.png")
    with pytest.raises(ConfigError, match="two versions"):
        draw_versions([], tmp_path / "x.png")
    with pytest.raises(ConfigError, match="cannot write"):
        draw_radar([one], tmp_path / "x.nonsense")


def episode(name: str) -> Any:
    events = [{"k": "assistant", "turn": 1, "text": "x"}, {"k": "end", "reason": "left"}]
    line = {"schema": "supermarket.episode/1", "episode_id": name, "agent": "one", "events": events}
    return validate_episode(line, "<test>", 1)


def test_the_scorer_guesses_nothing_without_a_panel() -> None:
    scorer = make_scorer()
    assert isinstance(scorer, Scorer)
    sheet = scorer.score(episode("e1"))
    assert [score.dim for score in sheet.scores] == [f"sie.{name}" for name in DIMENSIONS]
    assert {score.reason for score in sheet.scores} == {NO_PANEL}
    assert sheet.details["ratable_replies"] == 0


def test_the_scorer_hands_a_panels_grades_to_their_episodes(tmp_path: Path) -> None:
    items = make_set(3)
    write_items(items, tmp_path / "items.json")
    made = make_sheets(items, ["ann", "bob"], seed=0, systems=["one"])
    write_sheets(made, tmp_path / "s", tmp_path / "key.json")
    wanted = items.items[1]
    ids = {entry.rater: name for name, entry in made.key.items() if entry.item == wanted.id}
    files = [
        str(sheet_file(tmp_path / f"{r}.csv", [{"sheet_id": ids[r], **dict.fromkeys(DIMENSIONS, grade)}]))
        for r, grade in (("ann", "4"), ("bob", "3"))
    ]
    options: dict[str, Any] = {
        "items": str(tmp_path / "items.json"),
        "key": str(tmp_path / "key.json"),
        "ratings": files,
    }
    scorer = make_scorer(**options)
    sheet = scorer.score(episode("e1"))
    found = [(s.dim, s.value, s.rater, s.turn) for s in sheet.scores if s.dim == "sie.empathy"]
    assert found == [("sie.empathy", 4, "ann", wanted.turn), ("sie.empathy", 3, "bob", wanted.turn)]
    assert all(score.is_rating for score in sheet.scores)
    assert sheet.details["total"] == pytest.approx(3.5)
    assert {s.reason for s in scorer.score(episode("e9")).scores} == {NOT_IN_SET}
    assert scorer.version != make_scorer().version
    assert scorer.version != make_scorer(**options, weights="tool").version
    with pytest.raises(ConfigError, match="all of items, ratings and key"):
        make_scorer(items=options["items"])
