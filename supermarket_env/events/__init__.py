"""The episode log: event kinds, reading and writing, live hooks."""
