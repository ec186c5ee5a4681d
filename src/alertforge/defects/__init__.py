"""Defects of rules, records, routes and inhibitions, one file a family."""
