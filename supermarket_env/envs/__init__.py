"""Doors to the game: the engine that plays an episode and the Gymnasium environment."""
