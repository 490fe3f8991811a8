"""Tables and plots made from logs and metrics alone."""
