"""The closed inventory of dialogue acts, messages, and what an assistant may know."""
