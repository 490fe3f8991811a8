"""Stores: layouts, planogram, visibility and reach, distances, floor plans."""

from supermarket_env.store.layout import Assortment, Edge, Layout, Node, Section
from supermarket_env.store.layout_file import layout_yaml, parse_layout, read_layout
from supermarket_env.store.load import LAYOUT_NAMES, default_seed, load_layout, load_map, load_store
from supermarket_env.store.paths import Move
from supermarket_env.store.stock import Store, stock_store
from supermarket_env.store.validate import validate_layout

__all__ = [
    "LAYOUT_NAMES",
    "Assortment",
    "Edge",
    "Layout",
    "Move",
    "Node",
    "Section",
    "Store",
    "default_seed",
    "layout_yaml",
    "load_layout",
    "load_map",
    "load_store",
    "parse_layout",
    "read_layout",
    "stock_store",
    "validate_layout",
]
