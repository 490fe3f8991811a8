"""The rule book plain and compiled: the same bits; and what keeps the two the same."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.envs.decode import clear_message
from supermarket_env.rules import codes
from supermarket_env.rules.observe import OBSERVATION_SIZE
from supermarket_env.rules.renew import SEEN
from supermarket_env.rules.rows import (
    MESSAGE_DTYPE,
    OUTCOME_DTYPE,
    STATE_DTYPE,
    Message,
    Outcome,
    State,
    check_types,
    to_plain,
    to_record,
)
from supermarket_env.rules.twins import MODULES, Rules, compiled, direct, numba_available, plain
from supermarket_env.tasks.prepare import prepare
from supermarket_env.tasks.state import compiled_tables, plain_tables, seed_lanes
from supermarket_env.tasks.suites import train_task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World, load_world

needs_numba = pytest.mark.skipif(not numba_available(), reason="numba is not installed or switched off")
LAYOUTS = ("corner", "neighbourhood", "hyper")
EPISODES = 11
"""Episodes by layout and kind of draw keys: 66 in all."""


@pytest.fixture(scope="module")
def twin() -> Rules:
    return compiled()


# --- random play -----------------------------------------------------------------------------------------------------


def random_message(rng: np.random.Generator, world: World, m: Any) -> None:
    """Fill a row with anything the doors can make of a message: mostly nonsense."""
    clear_message(m)
    if rng.random() < 0.15:
        return
    n = world.catalogue.n_products
    m.act = int(rng.integers(len(codes.ASSISTANT_ACTS)))
    m.need = int(rng.integers(codes.MAX_NEEDS + 1))
    m.slot = int(rng.integers(len(world.slot_names)))
    m.value = int(rng.integers(-2, 5000))
    for k in range(int(rng.integers(codes.MAX_PRODUCTS + 1))):
        m.products[k] = int(rng.integers(n))
    m.n_items = int(rng.integers(codes.MAX_ITEMS + 1)) if rng.random() < 0.5 else 0
    for k in range(m.n_items):
        m.items[k] = int(rng.integers(n))
    m.sug_type = int(rng.integers(len(codes.ACTIONS)))
    sizes = {"": 1, "node": world.store.n_nodes, "section": world.store.n_sections, "product": n}
    m.sug_arg = int(rng.integers(sizes[codes.ACTION_PARAM[m.sug_type]]))
    m.sug_qty = int(rng.integers(4)) if codes.ACTION_HAS_QTY[m.sug_type] else 0
    m.goal_kind = int(rng.integers(len(codes.GOAL_KINDS)))
    kinds = {1: world.store.n_sections, 2: n, 3: world.catalogue.n_types, 4: world.store.n_nodes}
    m.goal_id = int(rng.integers(-1, kinds[m.goal_kind])) if m.goal_kind else -1


def useful_message(rng: np.random.Generator, world: World, s: Any, m: Any) -> None:
    """Fill a row with something that moves a trip on: goods of a wanted type, or the way to them."""
    clear_message(m)
    i = int(rng.integers(s.n_needs))
    kind = world.lists.typ[s.typ[i * codes.MAX_TYPES]]
    if rng.random() < 0.5:
        m.act, m.need = codes.A_RECOMMEND, int(s.ordinal[i])
        m.n_items = min(5, kind.count)
        for k in range(m.n_items):
            m.items[k] = kind.first + int(rng.integers(kind.count))
    else:
        m.act, m.goal_kind, m.goal_id = codes.A_GUIDE, codes.G_CATEGORY, s.typ[i * codes.MAX_TYPES]


def differences(row: Any, record: Any) -> list[str]:
    """Return the fields in which a plain row and a record differ in any bit."""
    other = type(row)()
    to_plain(record, other)
    return [name for name, _, _ in row.spec if repr(getattr(row, name)) != repr(getattr(other, name))]


def play_both(twin: Rules, world: World, user: UserConfig, index: int, *, reads_acts: int) -> tuple[int, int]:
    """Play one episode in both rule books side by side; returns its turns and how it ended."""
    task = train_task(index, store=world.store.name)
    prepared = prepare(world, task, user)
    slow, fast = plain_tables(world, user), compiled_tables(world, user)
    s: Any = prepared.fresh_state()
    m: Any = Message()
    o: Any = Outcome()
    s.seed_lo, s.seed_hi = seed_lanes(index * 7_919_001 + 11)
    s.reads_acts = reads_acts
    states, outcomes = np.zeros(1, dtype=STATE_DTYPE), np.zeros(1, dtype=OUTCOME_DTYPE)
    messages, rows = np.zeros(1, dtype=MESSAGE_DTYPE), np.zeros((1, OBSERVATION_SIZE), dtype=np.float32)
    to_record(s, states[0])
    kept = np.full((1, OBSERVATION_SIZE), 7.0, dtype=np.float32)
    held = np.full((1, SEEN), -1, dtype=np.int16)
    rng = np.random.default_rng(index)
    book = plain()
    book.begin_trips(slow, [s], [o], 1)
    twin.begin_trips(fast, states, outcomes, 1)
    while True:
        assert differences(s, states[0]) == []
        assert differences(o, outcomes[0]) == []
        assert check_types(s) == []
        assert check_types(o) == []
        seen = [[0.0] * OBSERVATION_SIZE]
        book.observe_rows(slow, [s], seen, 1)
        twin.renew_rows(fast, states, kept, held, held, 1)  # writes only what changed
        assert np.array_equal(np.array(seen[0], dtype=np.float32), kept[0])
        twin.observe_rows(fast, states, rows, 1)
        assert np.array_equal(np.array(seen[0], dtype=np.float32), rows[0])
        assert min(seen[0]) >= 0.0
        assert max(seen[0]) <= 1.0
        if s.end != 0:
            return s.turn, s.end
        if rng.random() < 0.6:
            random_message(rng, world, m)
        else:
            useful_message(rng, world, s, m)
        to_record(m, messages[0])
        book.play_turns(slow, [s], [m], [o], 1)
        twin.play_turns(fast, states, messages, outcomes, 1)
        if reads_acts == 0:
            book.note_responses(slow, [s], [o], 1)
            twin.note_responses(fast, states, outcomes, 1)
        assert check_types(m) == []


@needs_numba
@pytest.mark.parametrize("keys", ["event", "turn"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_both_rule_books_give_the_same_bits(twin: Rules, layout: str, keys: str) -> None:
    world = load_world("embedded", layout)
    user = UserConfig.model_validate({"draw_keys": keys})
    turns, ends = 0, set()
    for index in range(EPISODES):
        length, end = play_both(twin, world, user, index, reads_acts=index % 2)
        turns += length
        ends.add(end)
    assert turns >= 8 * EPISODES
    assert len(ends) >= 2, "trips that all end alike test little"


@needs_numba
def test_a_batch_is_its_rows_one_by_one(twin: Rules) -> None:
    world, user = load_world("embedded", "corner"), UserConfig()
    tables = compiled_tables(world, user)
    n = 5
    states, outcomes = np.zeros(n, dtype=STATE_DTYPE), np.zeros(n, dtype=OUTCOME_DTYPE)
    messages = np.zeros(n, dtype=MESSAGE_DTYPE)
    m: Any = Message()
    clear_message(m)
    for k in range(n):
        prepared = prepare(world, train_task(k, store="corner"), user)
        states[k] = prepared.record[0]
        states["seed_lo"][k], states["seed_hi"][k] = seed_lanes(k)
        to_record(m, messages[k])
    alone = [(states[k : k + 1].copy(), outcomes[k : k + 1].copy()) for k in range(n)]
    twin.begin_trips(tables, states, outcomes, n)
    for _ in range(10):
        twin.play_turns(tables, states, messages, outcomes, n)
    for k, (state, outcome) in enumerate(alone):
        twin.begin_trips(tables, state, outcome, 1)
        for _ in range(10):
            twin.play_turns(tables, state, messages[k : k + 1].copy(), outcome, 1)
        assert state.tobytes() == states[k : k + 1].tobytes()
        assert outcome.tobytes() == outcomes[k : k + 1].tobytes()


# --- how it is compiled ----------------------------------------------------------------------------------------------


@needs_numba
def test_every_entry_point_is_compiled_for_one_kind_of_arguments(twin: Rules) -> None:
    play_both(twin, load_world("embedded", "corner"), UserConfig(), 0, reads_acts=0)
    for name in ("begin_trips", "play_turns", "note_responses", "observe_rows"):
        assert len(getattr(twin, name).signatures) == 1, name
        assert direct(getattr(twin, name)) is not getattr(twin, name), "the quick way in is gone"


SMALL_RUN = """
import numpy as np
from supermarket_env.rules.rows import OUTCOME_DTYPE, STATE_DTYPE
from supermarket_env.rules.twins import compiled
from supermarket_env.tasks.state import compiled_tables
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import load_world

def run():
    tables = compiled_tables(load_world("embedded", "corner"), UserConfig())
    states, outcomes = np.zeros(1, dtype=STATE_DTYPE), np.zeros(1, dtype=OUTCOME_DTYPE)
    outcomes["act"] = 5
    rules = compiled()
    rules.note_responses(tables, states, outcomes, 1)
    assert states["h_act"][0] == 5
    return rules
"""


def start(code: str, cache: Path) -> subprocess.Popen[str]:
    """Start a process that compiles the smallest entry point with an empty cache."""
    environment = dict(os.environ, NUMBA_CACHE_DIR=str(cache))
    command = [sys.executable, "-P", "-c", SMALL_RUN + textwrap.dedent(code)]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@needs_numba
def test_two_processes_may_compile_into_one_empty_cache_at_once(tmp_path: Path) -> None:
    both = [start("run(); print('fine')", tmp_path) for _ in range(2)]
    for process in both:
        out, error = process.communicate(timeout=300)
        assert (out.strip(), process.returncode) == ("fine", 0), error
    code = "rules = run(); print(sum(rules.note_responses.stats.cache_hits.values()))"
    out, error = start(code, tmp_path).communicate(timeout=300)
    assert out.strip() == "1", f"a third process should find the compiled rules: {error}"


@needs_numba
def test_without_any_place_for_a_cache_the_rules_still_compile(tmp_path: Path) -> None:
    code = """
    import numba.core.caching
    numba.core.caching.CacheImpl._locator_classes = []
    run()
    print('fine')
    """
    process = start(code, tmp_path)
    out, error = process.communicate(timeout=300)
    assert (out.strip(), process.returncode) == ("fine", 0), error


@needs_numba
def test_compiled_rules_count_no_references(tmp_path: Path) -> None:
    code = """
    rules = run()
    text = "".join(rules.note_responses.inspect_llvm().values())
    options = rules.play_turns.targetoptions
    print(options.get("_nrt"), text.count("NRT_incref"), len(text) > 1000)
    """
    out, error = start(code, tmp_path).communicate(timeout=300)
    assert out.split() == ["False", "0", "True"], error


# --- the subset both ways share --------------------------------------------------------------------------------------

BANNED_CALLS = {"sum", "any", "all", "round", "sorted", "hash", "pow", "set", "dict", "list", "map", "filter", "zip"}
BANNED_NODES = (
    ast.JoinedStr,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
    ast.Try,
    ast.With,
    ast.Dict,
    ast.List,
    ast.Set,
    ast.Yield,
    ast.Await,
    ast.Global,
    ast.Nonlocal,
    ast.Starred,
)
ALLOWED_IMPORTS = (
    "supermarket_env.rules.",
    "supermarket_env.user_sim.mind_",
    "supermarket_env.user_sim.turn",
    "typing",
    "__future__",
    "math",
)


def breaches(source: str) -> list[str]:
    """Return what in a rules module is outside the subset that means the same plain and compiled."""
    found = []
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, BANNED_NODES):
            found.append(f"line {line}: {type(node).__name__}")
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow):
            found.append(f"line {line}: ** (a constant exponent rounds otherwise when compiled)")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BANNED_CALLS:
            found.append(f"line {line}: {node.func.id}()")
        elif isinstance(node, ast.Import):
            found.append(f"line {line}: import {node.names[0].name}")
        elif isinstance(node, ast.ImportFrom) and not f"{node.module}".startswith(ALLOWED_IMPORTS):
            found.append(f"line {line}: from {node.module}")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("np", "random"):
            found.append(f"line {line}: {node.value.id}.{node.attr}")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_the_rules_keep_to_the_subset_numba_and_python_agree_on(module: str) -> None:
    assert breaches(inspect.getsource(importlib.import_module(module))) == []


@pytest.mark.parametrize(
    "bad",
    [
        "def f(x):\n    return x ** 2",
        "def f(x):\n    return sum(x)",
        "def f(x):\n    return [k for k in x]",
        "def f(x):\n    return f'{x}'",
        "import numpy as np",
        "from supermarket_env.tasks import task",
        "def f(x):\n    try:\n        return 1 / x\n    except ZeroDivisionError:\n        return 0",
        "def f(x):\n    return {1: x}",
    ],
)
def test_the_check_sees_what_is_banned(bad: str) -> None:
    assert breaches(bad)


def test_rows_of_the_wrong_type_are_noticed() -> None:
    s: Any = State()
    s.turn = 1.0
    s.trust = 1
    s.visits[3] = True
    assert [line.split(":")[0] for line in check_types(s)] == ["turn", "visits", "trust"]
