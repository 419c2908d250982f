"""The examples of docs/python.md, by the titles of its chapters."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "python.md"


def examples(title):
    """The blocks of Python in a chapter."""
    chapter = re.split(r"^## (.*)\n", PAGE.read_text(), flags=re.M)
    return re.findall(r"```python\n(.*?)```", chapter[chapter.index(title) + 1], flags=re.S)
