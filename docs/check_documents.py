#!/usr/bin/env python3
"""Checks the documents: length, columns, idiom, links, and that the README names every page.

usage: check_documents.py [TOP]    (the project's top folder; else the one above this file's)

Ends with 1 and a line for each finding. Generated sections lie between "<!-- NAME: begin -->" and
"<!-- NAME: end -->": their words and columns do not count, their links do.
"""

import pathlib
import re
import sys

README_LINES = 200
DOCS_WORDS = 35_000
COLUMNS = 100
WIDE_TABLES = {"docs/experiments.md"}  # May have rows of more columns.
# Files that a document names in a code span; capitals stand for any name.
FOLDERS = ("backends bench bindings cmake docs examples include kernels_cl kernels_cu packaging "
           "tests").split()
PATH = re.compile(r"`((?:" + "|".join(FOLDERS) + r")/[a-z0-9_./-]+)`(?!\])")
# Words that stand for an old idiom, and what to write instead.
IDIOMS = {"in place of": "instead of", "hand it in": "say what to do", "as root, there": "say it"}
# The pages that a reader looks for by their name.
PAGES = ("getting-started operators embedding python benchmark performance semantics order design "
         "porting troubleshooting limitations contributing").split()

GENERATED = re.compile(r"^<!-- ([\w -]+): begin -->\n(.*?)^<!-- \1: end -->\n", re.M | re.S)
CODE = re.compile(r"^```.*?^```[^\n]*\n", re.M | re.S)


def blanked(pattern, text, keep=""):
    """The text without what matches, but with as many lines."""
    return pattern.sub(lambda match: keep + "\n" * match.group().count("\n"), text)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", blanked(CODE, text), re.M):
        name = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", name).replace(" ", "-"))
    return found


def own_pages(top):
    pages = [top / name for name in
             ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md",
              "bindings/python/README.md", "bench/results/standard/README.md",
              "bench/schema/README.md")]
    return [page for page in pages if page.exists()] + sorted((top / "docs").glob("*.md"))


def check_text(name, text):
    written = blanked(GENERATED, text)
    for number, line in enumerate(blanked(CODE, written).split("\n"), 1):
        may = " " not in line or (line.startswith("|") and name in WIDE_TABLES)
        if len(line) > COLUMNS and not may:
            yield f"{name}:{number}: {len(line)} columns, at most {COLUMNS}"
    flowing = re.sub(r"\s+", " ", written).lower()
    for idiom, better in IDIOMS.items():
        if idiom in flowing:
            yield f"{name}: \"{idiom}\"; write: {better}"
    for marker in re.findall(r"<!-- ([\w -]+: (?:begin|end)) -->", written):
        yield f"{name}: the marker \"{marker}\" has no counterpart"


def check_links(top, page, text):
    name = page.relative_to(top)
    for path in PATH.findall(blanked(CODE, text)):
        if not (top / path).exists():
            yield f"{name}: there is no {path}"
    for path in re.findall(r"`(core/[a-z0-9_/]+\.[ch]pp)`", text):
        if not (top / "backends" / path).exists():
            yield f"{name}: there is no backends/{path}"
    for target in re.findall(r"\]\(([^)\s]+)\)", blanked(CODE, text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path) if path else page
        if not goal.exists():
            yield f"{name}: the link to {target} leads nowhere"
        elif anchor and goal.suffix == ".md":
            if anchor not in anchors(goal.read_text(encoding="utf-8")):
                yield f"{name}: {target} names no heading"


def check_beginning(name, text):
    """A page says what it answers before its first section, table or code."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines[0].startswith("# "):
        yield f"{name}: begins with no heading"
    elif len(lines) < 2 or not re.match(r"[`\w\[*]", lines[1]):
        yield f"{name}: no sentence behind the title says what the page answers"


def check_messages(top):
    """What troubleshooting.md quotes in bold are words of the library's messages."""
    text = (top / "docs/troubleshooting.md").read_text(encoding="utf-8")
    sources = "\n".join(file.read_text(encoding="utf-8")
                        for file in sorted((top / "backends").rglob("*.[ch]pp")))
    # Literals that follow one another are one; what is put into them can be anything.
    known = re.sub(r'"\s*"', "", sources)
    ours = text.partition("## PoCL ends the process")[0]
    for quoted in re.findall(r"`([^`]*)`", " ".join(re.findall(r"\*\*(.*?)\*\*", ours, re.S))):
        for part in re.sub(r"\s+", " ", quoted).split("..."):
            if part.count(" ") > 1 and part.strip().removeprefix("opencl: ").removeprefix(
                    "cuda: ") not in known:
                yield f"docs/troubleshooting.md: no message says \"{part.strip()}\""


def check_options(top):
    """packaging.md lists every option of the build."""
    option = re.compile(r"^(?:option\((\w+)|set\((BIFOLD_\w+) [^)]*?CACHE)", re.M)
    listed = (top / "docs/packaging.md").read_text(encoding="utf-8")
    for file in [top / "CMakeLists.txt", *sorted((top / "cmake").glob("*.cmake"))]:
        for names in option.findall(file.read_text(encoding="utf-8")):
            if f"`{''.join(names)}`" not in listed:
                yield f"docs/packaging.md: does not list {''.join(names)}"


def check(top):
    words = 0
    readme = (top / "README.md").read_text(encoding="utf-8")
    lines = len(readme.splitlines())
    if lines > README_LINES:
        yield f"README.md: {lines} lines, at most {README_LINES}"
    for page in own_pages(top):
        name = page.relative_to(top).as_posix()
        text = page.read_text(encoding="utf-8")
        yield from check_text(name, text)
        yield from check_links(top, page, text)
        if page.parent == top / "docs":
            words += len(blanked(GENERATED, text).split())
            yield from check_beginning(name, text)
            if f"({name})" not in readme and name != "docs/releasing.md":
                yield f"README.md: does not name {name}"
    if words > DOCS_WORDS:
        yield f"docs: {words} words outside generated sections, at most {DOCS_WORDS}"
    for page in PAGES:
        if not (top / "docs" / f"{page}.md").exists():
            yield f"docs/{page}.md: is missing"
    yield from check_messages(top)
    yield from check_options(top)


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if top.is_file():
        top = top.parents[1]
    findings = list(check(top))
    print("\n".join(findings) or "the documents keep to the rules")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
