"""Statistics on metric rows: intervals, paired tests, agreement."""
