"""Scripted ways of editing a repo: what each does to the files, and what it must score."""
