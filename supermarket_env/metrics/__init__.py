"""Every figure of an evaluation as a pure function of the episode log."""
