"""Calls on parts of an array: selections, segments and runs of equal keys."""
