"""Kinds of work in a task's queue, one file each."""
