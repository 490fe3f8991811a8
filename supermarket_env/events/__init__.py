"""The episode log: event types, reading and writing, live hooks."""
