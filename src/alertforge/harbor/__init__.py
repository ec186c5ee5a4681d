"""Tasks on disk in Harbor's format: the directory of a task, its scripts, the registry of a dataset."""

from alertforge.harbor.directory import write

__all__ = ["write"]
