"""The world of one catalogue in one store: names and the numeric tables the rules read."""

from supermarket_env.world.build import World, load_world

__all__ = ["World", "load_world"]
