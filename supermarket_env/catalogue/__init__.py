"""Products: schema, embedded and external sources, validation, text search."""
