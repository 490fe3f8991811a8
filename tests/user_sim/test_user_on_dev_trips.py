"""Whole trips on the dev suite: nothing hidden is said, nothing untrue, nothing impossible is done."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from supermarket_env.agents.registry import make_agent
from supermarket_env.envs.game import Game
from supermarket_env.rules import codes as c
from supermarket_env.run.seeding import episode_seed
from supermarket_env.tasks.suites import load_suite
from supermarket_env.world import World, load_world


def load(name: str) -> ModuleType:
    """Import a module of this folder (tests are not a package)."""
    spec = importlib.util.spec_from_file_location(f"user_tests_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


shop = load("small_shop")


@pytest.fixture(scope="module")
def neighbourhood() -> World:
    return load_world("embedded", "neighbourhood")


@pytest.fixture(scope="module")
def spoken(neighbourhood: World) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """200 dev tasks, silent, retrieval and rule in turn: (log line, truth)."""
    game = Game(neighbourhood, mode="plain")
    agents: list[Any] = [make_agent(name) for name in ("silent", "retrieval", "rule")]
    found = []
    for k, task in enumerate(load_suite("dev").tasks):
        agent = agents[k % 3]
        view = game.reset(task, seed=episode_seed(0, task.id, 0))
        agent.start(view)
        while not game.done:
            view = game.step(agent.reply(view))
        found.append((game.episode(), game.truth()))
    return found


def shown_by(event: dict[str, Any]) -> set[str]:
    """Return the product ids an assistant's event, or a cart change, makes known."""
    slots = event.get("slots", {}) if event["k"] == "assistant" else {}
    named = {*event.get("items", ()), *slots.get("products", ())}
    if event["k"] == "suggest":
        named |= {str(v) for v in event["action"]["params"].values()}
    if event["k"] == "cart" and "sku" in event:
        named.add(event["sku"])
    return named


def test_never_says_the_id_or_full_name_of_a_product_nobody_showed(
    spoken: list[tuple[dict[str, Any], dict[str, Any]]], neighbourhood: World
) -> None:
    name_of = {p.id: p.name.lower() for p in neighbourhood.catalogue.products}
    texts = 0
    for line, _ in spoken:
        shown: set[str] = set()
        words = " ".join(e["text"] for e in line["events"] if e["k"] == "user").lower()
        suspects = [p for p, name in name_of.items() if p.lower() in words or name in words]
        for event in line["events"]:
            if event["k"] == "user" and event["text"]:
                texts += 1
                text = event["text"].lower()
                for p in suspects:
                    assert p.lower() not in text, f"{event['text']!r} holds an id"
                    assert name_of[p] not in text or p in shown, f"{event['text']!r} names {p} in full"
            shown |= shown_by(event)
    assert texts > 1500


def test_slots_name_no_product_that_was_neither_shown_nor_touched(
    spoken: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    for line, _ in spoken:
        known: set[str] = set()
        for event in line["events"]:
            if event["k"] == "user":
                unknown = set(event["slots"].get("products", ())) - known
                assert not unknown or sold_out_at_the_shelf(event), (line["task_id"], event)
                known |= unknown
                known |= {v for v in event.get("action", {}).get("params", {}).values() if isinstance(v, str)}
            known |= shown_by(event)


def sold_out_at_the_shelf(event: dict[str, Any]) -> bool:
    """An empty place on the shelf is pointed at: that product can be bought by nobody on this trip."""
    return bool(event["act"] == "complain" and event["slots"].get("cause") == "out_of_stock")


def test_every_fact_in_the_log_is_true_of_the_task(spoken: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    told = 0
    for line, truth in spoken:
        meant: dict[int, list[dict[str, Any]]] = {}
        for event in line["events"]:
            if event["k"] != "user":
                continue
            for fact in event["slots"].get("facts", ()):
                told += 1
                candidates = meant.get(fact["need"], truth["needs"])
                holding = [need for need in candidates if holds(need, fact, truth)]
                assert holding, (line["task_id"], fact)
                meant[fact["need"]] = holding
        assert all(len({need["id"] for need in needs}) >= 1 for needs in meant.values())
    assert told > 800


def holds(need: dict[str, Any], fact: dict[str, Any], truth: dict[str, Any]) -> bool:
    """Whether a fact is true of a need in the log's truth."""
    name, value = fact["attribute"], fact["value"]
    hard = {kind: [h.split(":")[1] for h in need["hard"] if h.startswith(kind)] for kind in ("diet", "allergen")}
    if name == "product_type":
        return bool(value == need["type"])
    if name == "department":
        return isinstance(value, str)
    if name == "quantity":
        return bool(value == need["qty"])
    if name in ("brand", "size"):
        return bool((value or "") == (need[name] or ""))
    if name == "price_limit":
        return bool(value == need["price_limit"])
    if name in ("diet", "allergy"):
        return sorted(value or ()) == sorted(hard["diet" if name == "diet" else "allergen"])
    if name == "anything":
        return value is None
    return bool((value is True) == (name in need["soft"] or name in hard["diet"]))


# --- what never happens ----------------------------------------------------------------------------------------------


def test_150_audited_trips_with_good_bad_and_hostile_assistants() -> None:
    trips = shop.program("trips")
    stores = ("corner", "neighbourhood", "hyper")
    tasks = [
        task for trio in zip(*(load_suite("dev", store=s, n=5).tasks for s in stores), strict=True) for task in trio
    ]
    violations, ends = trips.audit(tasks, 150, "plain")
    assert violations == []
    assert sum(ends.values()) == 150
    assert ends["checkout"] > 75


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"node": 3}, "no straight walk"),
        ({"metres": 99.0}, "counted for a walk"),
        ({"end": c.E_CHECKOUT, "spent": 10**9, "action": c.ACT_WAIT, "metres": 0.0}, "with a budget of"),
        ({"fact_value": 99, "n_facts": 1, "fact_slot": c.S_QUANTITY, "fact_need": 1}, "which is untrue"),
        ({"action": c.ACT_ADD, "arg": 0, "qty": 999, "metres": 0.0}, "took 999"),
        ({"end": c.E_LEFT, "cart": True, "action": c.ACT_LEAVE, "metres": 0.0}, "walked out with goods"),
    ],
)
def test_the_auditor_sees_what_it_is_there_to_see(change: dict[str, Any], words: str, neighbourhood: World) -> None:
    """The same turn as it was passes; the falsified one does not."""
    audit, page = shop.program("trip_audit"), shop.program("user_page")
    game = Game(neighbourhood, mode="plain", texts=False)
    task = load_suite("dev", n=1).tasks[0]
    game.reset(task, seed=3)
    auditor = audit.Auditor(game)
    auditor.begin()
    kernel = game.kernel
    before = page.Before(kernel.s)
    while kernel.o.action != c.ACT_MOVE:
        before = page.Before(kernel.s)
        game.step({})
    auditor.watch(before, kernel.s, kernel.m, kernel.o)
    assert auditor.violations == []
    s, o = kernel.s, kernel.o
    if "fact_value" in change:
        for name in ("fact_value", "fact_slot", "fact_need"):
            getattr(o, name)[0] = change[name]
        o.n_facts = 1
    elif "cart" in change:
        s.n_cart, s.cart_p[0], s.cart_q[0], s.end, o.action = 1, 0, 1, change["end"], change["action"]
    elif "spent" in change:
        before.n_cart, before.cart_p[0], before.cart_q[0] = 1, 0, 10**6
        before.spent = kernel.tables.prod[0].price * 10**6
        s.end = change["end"]
    elif "node" in change:
        s.node = change["node"] if change["node"] != s.node else 0
        before.node = (s.node + 20) % neighbourhood.store.n_nodes
    else:
        for name, value in change.items():
            setattr(o, name, value)
    auditor.watch(before, s, kernel.m, o)
    assert any(words in violation for violation in auditor.violations), auditor.violations


def test_a_line_through_a_box_is_seen() -> None:
    crosses = shop.program("trip_audit").crosses
    box = (1.0, 1.0, 3.0, 2.0)
    assert crosses(0.0, 1.5, 4.0, 1.5, box)
    assert crosses(0.0, 0.0, 4.0, 3.0, box)
    assert not crosses(0.0, 0.5, 4.0, 0.5, box)
    assert not crosses(0.0, 1.0, 4.0, 1.0, box), "along the edge is not through"
    assert not crosses(0.0, 1.5, 0.9, 1.5, box), "it ends before the box"


def test_rule_pays_and_is_not_much_slower_than_the_oracle() -> None:
    trips = shop.program("trips")
    _, ratio, paid = trips.turns_table("plain", 60)
    assert paid >= 0.70
    assert ratio <= 1.6


def test_users_left_alone_are_neither_hopeless_nor_finished() -> None:
    trips = shop.program("trips")
    rows = trips.play_all("silent", load_suite("dev").tasks, "plain")
    assert 0.15 <= trips.by_trip(rows, trips.satisfaction)["all"] <= 0.55
