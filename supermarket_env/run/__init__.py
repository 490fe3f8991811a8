"""Runs: validated configuration, building, episodes, workers and resume, the run directory."""
