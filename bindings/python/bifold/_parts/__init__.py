"""Calls about parts of an array: what is selected of it, its segments, and its runs of keys."""
