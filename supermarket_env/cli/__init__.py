"""The supermarket command: one small module a sub-command."""
