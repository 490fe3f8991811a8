"""Eight metrics of a service conversation, brought to 1..5, and the satisfaction they add up to."""
