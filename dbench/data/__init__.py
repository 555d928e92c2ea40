"""Placeholder docstring, replaced when the package is written."""
