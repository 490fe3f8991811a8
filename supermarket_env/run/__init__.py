"""Runs in three layers.

1. :mod:`~supermarket_env.run.episode` plays one episode with objects built elsewhere: no names, no files.
2. :mod:`~supermarket_env.run.build` makes those objects from a validated configuration; it alone knows all sides.
3. :mod:`~supermarket_env.run.batch` and :mod:`~supermarket_env.run.job` play many episodes with workers and resume.
"""
