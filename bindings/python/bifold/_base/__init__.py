"""What the rest of the package stands on: the library's functions, types, handles, and arguments.

Nothing in here imports anything of the package outside, except the extension.
"""
