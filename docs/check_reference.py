#!/usr/bin/env python3
"""Finds what Doxygen's own warnings leave out in the API reference that it has built.

usage: check_reference.py FOLDER    (the one that holds its html/ and xml/)

Ends with 1, and a line for each finding, where a public entity, an enumerator or a concept has no
documentation, where one belongs to no group, and where a link leads to no page.
"""

import html
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

DESCRIBED = {"class", "struct", "union", "concept", "namespace", "group", "file"}


def has_text(element):
    parts = (element.find("briefdescription"), element.find("detaileddescription"))
    return any("".join(part.itertext()).strip() for part in parts if part is not None)


def place_of(element):
    location = element.find("location")
    return f"{location.get('file')}:{location.get('line')}: " if location is not None else ""


def speaks_for_itself(member):
    """Destructors, and what the compiler writes or refuses."""
    arguments = member.findtext("argsstring") or ""
    return member.findtext("name").startswith("~") or re.search(r"=\s*(default|delete)$", arguments)


def is_ours(name):
    """Neither the standard library's, nor a page of docs/."""
    return not name.startswith("std") and not name.endswith((".md", ".dox"))


def check_entities(folder):
    files = sorted(folder.glob("*.xml"))
    compounds = [c for file in files for c in xml.parse(file).iter("compounddef")]
    if not any(c.get("kind") == "class" for c in compounds):
        yield f"{folder} describes no class: was the reference built?"
    grouped = {
        inner.get("refid")
        for c in compounds if c.get("kind") == "group"
        for inner in c.findall("innerclass")
    }
    seen = set()
    for compound in compounds:
        kind, name = compound.get("kind"), compound.findtext("compoundname")
        if kind in DESCRIBED and is_ours(name) and not has_text(compound):
            yield f"{place_of(compound)}{kind} {name} is not documented"
        # Nested classes belong where their class does.
        if kind in ("class", "struct") and compound.get("id") not in grouped:
            if not any(name.startswith(c.findtext("compoundname") + "::")
                       for c in compounds if c.get("id") in grouped):
                yield f"{place_of(compound)}{kind} {name} is in no group"
        for member in compound.iter("memberdef"):
            if member.get("prot") != "public" or member.get("id") in seen:
                continue
            seen.add(member.get("id"))
            what = f"{member.get('kind')} {name}::{member.findtext('name')}"
            if not has_text(member) and not speaks_for_itself(member):
                yield f"{place_of(member)}{what} is not documented"
            if kind in ("file", "namespace") and not member.get("id").startswith("group_"):
                yield f"{place_of(member)}{what} is in no group"
            for value in member.findall("enumvalue"):
                if not has_text(value):
                    what = f"enumerator {value.findtext('name')}"
                    yield f"{place_of(member)}{what} is not documented"


def check_links(folder):
    for page in sorted(folder.glob("*.html")):
        for link in sorted(set(re.findall(r'href="([^"#:]+)(?:#[^"]*)?"', page.read_text(encoding="utf-8")))):
            if not (folder / html.unescape(link)).exists():
                yield f"{page.name} links to {link}, which is not there"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    findings = [*check_entities(folder / "xml"), *check_links(folder / "html")]
    print("\n".join(findings) or "the reference is complete")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
