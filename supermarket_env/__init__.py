"""A supermarket simulation in which shopping assistants help simulated users."""
