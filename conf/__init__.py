"""Hydra configuration of the supermarket command (data only)."""
