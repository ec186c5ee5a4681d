"""What targets export over a scenario, and the truth behind it."""
