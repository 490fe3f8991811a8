"""Stocked stores: where products stand, what follows from it, and that it never changes by itself."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.catalogue import load_catalogue
from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.errors import LayoutError
from supermarket_env.store import Assortment, Section, Store, load_layout, load_store, stock_store
from supermarket_env.store.planogram import ENDCAP_PRODUCTS, _shares, _spread, _zone_of

STORES = ("corner", "neighbourhood", "hyper", "generated:3")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, catalogue: Catalogue) -> Store:
    return load_store(str(request.param), catalogue)


def test_tables_have_their_shape_and_type(store: Store) -> None:
    n, s, p = store.n_nodes, store.n_sections, store.n_products
    shapes = {
        "home_section": ((p,), np.int64), "endcap_section": ((p,), np.int64), "stock": ((p,), np.int64),
        "carried": ((p,), np.bool_), "dist_m": ((n, n), np.float64), "moves": ((n, n), np.int64),
        "path_m": ((n, n), np.float64), "next_move": ((n, n), np.int64), "visible": ((n, s), np.bool_),
        "reach": ((n, s), np.bool_), "sees_node": ((n, n), np.bool_), "section_dist_m": ((n, s), np.float64),
        "section_moves": ((n, s), np.int64), "section_view_moves": ((n, s), np.int64),
        "nearest_node": ((n, s), np.int64), "checkout_moves": ((n,), np.int64),
        "checkout_dist_m": ((n,), np.float64), "nearest_checkout": ((n,), np.int64),
    }  # fmt: skip
    for name, (shape, kind) in shapes.items():
        table = getattr(store, name)
        assert table.shape == shape, name
        assert table.dtype == kind, name
        assert table.flags.c_contiguous, name
        assert not table.flags.writeable, name


def test_every_carried_product_has_one_home_that_can_be_touched(store: Store) -> None:
    carried = np.flatnonzero(store.carried)
    homes = store.home_section[carried]
    assert (homes >= 0).all()
    assert not any(store.layout.sections[s].endcap for s in set(homes.tolist()))
    assert store.reach[:, homes].any(axis=0).all()
    assert store.visible[:, homes].any(axis=0).all()
    assert (store.home_section[~store.carried] == -1).all()
    assert (store.endcap_section[~store.carried] == -1).all()
    assert (store.stock[~store.carried] == 0).all()


def test_stock_is_the_catalogues_where_carried(store: Store, catalogue: Catalogue) -> None:
    assert (store.stock[store.carried] == catalogue.stock[store.carried]).all()


@pytest.mark.parametrize("name", ["neighbourhood", "hyper", "generated:3"])
def test_big_stores_carry_everything(name: str, catalogue: Catalogue) -> None:
    assert load_store(name, catalogue).carried.all()


def test_the_corner_shop_carries_a_useful_part(catalogue: Catalogue) -> None:
    store = load_store("corner", catalogue)
    per_type = np.bincount(catalogue.type_idx[store.carried], minlength=len(catalogue.types))
    assert (per_type >= 8).sum() >= 100
    assert set(per_type.tolist()) <= {0, *range(8, 13)}
    kept = {catalogue.types[t].department for t in np.flatnonzero(per_type)}
    assert kept == set(catalogue.departments)
    assert store.carried.sum() < 0.6 * store.n_products


def test_the_corner_shop_keeps_the_popular_products(catalogue: Catalogue) -> None:
    store = load_store("corner", catalogue)
    for t in np.unique(catalogue.type_idx[store.carried]):
        own = np.arange(catalogue.type_start[t], catalogue.type_start[t] + catalogue.type_count[t])
        inside, outside = own[store.carried[own]], own[~store.carried[own]]
        if outside.size:
            assert catalogue.popularity[inside].min() >= catalogue.popularity[outside].max()


def test_types_and_sections_are_inverse(store: Store, catalogue: Catalogue) -> None:
    pairs = {(s, t) for s, types in enumerate(store.section_types) for t in types}
    assert pairs == {(s, t) for t, sections in enumerate(store.type_sections) for s in sections}
    truth = {(int(s), int(t)) for s, t in zip(store.home_section, catalogue.type_idx, strict=True) if s >= 0}
    ends = {(int(s), int(t)) for s, t in zip(store.endcap_section, catalogue.type_idx, strict=True) if s >= 0}
    assert pairs == truth | ends
    assert truth == {(s, t) for t, sections in enumerate(store.type_home_sections) for s in sections}
    for p in (0, store.n_products // 2, store.n_products - 1):
        assert set(store.product_sections(p)) == {s for s in (store.home_section[p], store.endcap_section[p]) if s >= 0}


def test_a_section_holds_one_department_and_few_types(store: Store, catalogue: Catalogue) -> None:
    for section, types in zip(store.layout.sections, store.section_types, strict=True):
        if not section.endcap:
            assert len({catalogue.types[t].department for t in types}) <= 1
            assert len(types) <= 12
    filled = [len(types) for types, s in zip(store.section_types, store.layout.sections, strict=True) if not s.endcap]
    assert np.mean(filled) <= 6


def test_departments_stay_together(store: Store) -> None:
    """In walking order each department is one unbroken run of its zone."""
    zones: dict[bool, list[str]] = {}
    for section, department in zip(store.layout.sections, store.section_department, strict=True):
        if not section.endcap and department != "empty":
            zones.setdefault(section.department == "centre", []).append(department)
    for names in zones.values():
        runs = [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]
        assert len(runs) == len(set(runs))


def test_fresh_food_lines_the_walls(store: Store, catalogue: Catalogue) -> None:
    width, height = store.layout.width, store.layout.height
    for department in catalogue.departments:
        if _zone_of(department, frozenset({"produce", "bakery", "meat", "dairy"})) == "centre":
            continue
        for section, name in zip(store.layout.sections, store.section_department, strict=True):
            if name == department:
                assert section.x0 == 0 or section.x1 == pytest.approx(width) or section.y1 == pytest.approx(height)


def test_endcaps_hold_popular_promotions(store: Store, catalogue: Catalogue) -> None:
    second = np.flatnonzero(store.endcap_section >= 0)
    assert second.size
    assert (catalogue.promotion[second] > 0).all()
    counts = np.bincount(store.endcap_section[second])
    assert counts.max() <= ENDCAP_PRODUCTS
    assert all(store.layout.sections[s].endcap for s in set(store.endcap_section[second].tolist()))


def test_access_tables_by_hand(store: Store) -> None:
    for s in range(0, store.n_sections, 7):
        touching = store.section_nodes[s]
        assert touching == tuple(np.flatnonzero(store.reach[:, s]))
        for a in range(store.n_nodes):
            fewest = min(int(store.moves[a, b]) for b in touching)
            assert store.section_moves[a, s] == fewest
            assert store.section_dist_m[a, s] == min(store.dist_m[a, b] for b in touching)
            best = min((int(store.moves[a, b]), round(float(store.path_m[a, b]), 6), b) for b in touching)
            assert store.nearest_node[a, s] == best[2]
            seen = np.flatnonzero(store.visible[:, s])
            assert store.section_view_moves[a, s] == store.moves[a, seen].min() <= fewest
    for a in range(store.n_nodes):
        assert store.checkout_moves[a] == min(store.moves[a, c] for c in store.checkouts)
        assert store.checkout_dist_m[a] == min(store.dist_m[a, c] for c in store.checkouts)
        assert store.nearest_checkout[a] in store.checkouts
    assert set(store.landmarks) == {store.entrance, *store.checkouts, *store.exits}


def test_ids_and_moves_by_name(store: Store) -> None:
    assert store.node_number(store.node_ids[3]) == 3
    assert store.section_number(store.section_ids[5]) == 5
    with pytest.raises(LayoutError, match=r"unknown node 'N1'; valid: N001, .*Did you mean 'N"):
        store.node_number("N1")
    with pytest.raises(LayoutError, match="unknown section 'N001'"):
        store.section_number("N001")
    first = store.move_targets[0][0]
    assert store.move(0, first.node) == first
    assert store.move(0, 0) is None
    far = int(store.moves[0].argmax())
    assert store.move(0, far) is None
    assert store.graph().number_of_nodes() == store.n_nodes
    assert store.graph().number_of_edges() == len(store.layout.edges)


def test_same_arguments_same_store(catalogue: Catalogue) -> None:
    layout = load_layout("neighbourhood")
    one, two = stock_store(layout, catalogue), stock_store(layout, catalogue)
    assert one.content_hash == two.content_hash == load_store("neighbourhood", catalogue).content_hash
    assert load_store("neighbourhood", catalogue) is load_store("neighbourhood", catalogue)
    shuffled = stock_store(layout, catalogue, seed=5)
    assert shuffled.content_hash != one.content_hash
    assert stock_store(layout, catalogue, seed=5).content_hash == shuffled.content_hash
    assert shuffled.carried.all()


def test_another_process_builds_the_same_store(catalogue: Catalogue) -> None:
    program = (
        "from supermarket_env.catalogue import load_catalogue as c; from supermarket_env.store import load_store as s;"
        "print(s('generated:3', c('embedded')).content_hash)"
    )
    told = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert told.stdout.strip() == load_store("generated:3", catalogue).content_hash


def test_a_store_survives_pickling(catalogue: Catalogue) -> None:
    store = load_store("corner", catalogue)
    again = pickle.loads(pickle.dumps(store))
    assert again.content_hash == store.content_hash
    assert (again.next_move == store.next_move).all()


def test_own_labels_name_departments(catalogue: Catalogue) -> None:
    """A hand-made layout may name a department of the catalogue; it then stands there and only there."""
    layout = load_layout("corner")
    wanted = next(
        d for d in catalogue.departments if _zone_of(d, frozenset({"produce", "bakery", "meat", "dairy"})) == "centre"
    )
    sections = tuple(s._replace(department=wanted) if s.department == "bakery" else s for s in layout.sections)
    store = stock_store(replace(layout, sections=sections), catalogue)
    own = {i for i, s in enumerate(sections) if s.department == wanted}
    assert {i for i, d in enumerate(store.section_department) if d == wanted} == own


def test_a_tiny_shop_still_takes_everything(catalogue: Catalogue) -> None:
    layout = load_layout("corner")
    keep: tuple[Section, ...] = tuple(s._replace(department="centre") for s in layout.sections[:3])
    tiny = replace(layout, sections=keep, assortment=Assortment())
    store = stock_store(tiny, catalogue)
    assert store.carried.all()
    assert set(store.home_section.tolist()) == {0, 1, 2}
    assert all(" / " in name for name in store.section_department)


def test_few_types_of_few_departments(catalogue: Catalogue) -> None:
    layout = replace(load_layout("corner"), assortment=Assortment(types=3, products_per_type=1))
    store = stock_store(layout, catalogue)
    assert store.carried.sum() == 3


def test_only_endcaps_is_refused(catalogue: Catalogue) -> None:
    layout = load_layout("corner")
    ends = tuple(s for s in layout.sections if s.endcap)
    with pytest.raises(LayoutError, match="every section is an endcap"):
        stock_store(replace(layout, sections=ends), catalogue)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.floats(0.5, 50), min_size=1, max_size=40), st.integers(1, 60))
def test_spread_covers_all_bins_in_order(weights: list[float], bins: int) -> None:
    parts = _spread(weights, bins)
    assert len(parts) == len(weights)
    assert all(len(part) >= 1 for part in parts)
    covered = [b for part in parts for b in part]
    assert covered == sorted(covered)
    assert set(covered) == set(range(bins))
    if bins >= len(weights):
        assert len(covered) == bins
    else:
        assert all(len(part) == 1 for part in parts)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.floats(0.1, 50), min_size=1, max_size=30), st.integers(0, 100))
def test_shares_add_up(weights: list[float], extra: int) -> None:
    shares = _shares(weights, len(weights) + extra)
    assert sum(shares) == len(weights) + extra
    assert min(shares) >= 1


@pytest.mark.parametrize(
    ("department", "zone"),
    [("Fruit & Vegetables", "produce"), ("Bakery", "bakery"), ("Meat & Poultry", "meat"), ("dairy eggs", "dairy"),
     ("Frozen", "centre"), ("Canned Fish", "centre"), ("Frozen Vegetables", "centre"), ("Fish & Seafood", "meat"),
     ("Wine", "centre")],
)  # fmt: skip
def test_zones_of_departments(department: str, zone: str) -> None:
    assert _zone_of(department, frozenset({"produce", "bakery", "meat", "dairy", "centre"})) == zone
