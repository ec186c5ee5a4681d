"""The monitoring repo as a value, and every text of a task."""
