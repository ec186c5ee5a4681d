"""The task on disk."""
