"""Words for the scripted user: a template grammar from acts to sentences."""
