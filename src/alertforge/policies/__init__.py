"""Scripted ways to edit a repo."""
