"""Comparing assistants on the same tasks with the same luck: sides, paired differences, trials, pages."""
