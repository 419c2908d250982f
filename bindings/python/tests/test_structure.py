"""How the modules of the package depend on each other."""

import ast
import re
import sysconfig
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bifold

PACKAGE = Path(bifold.__file__).parent
EXTENSIONS = {"bifold._core", "bifold._jax"}


def modules():
    """The path of every module, by its full name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name, known, *, for_types=False):
    """The package's modules that one imports, anywhere in its text."""
    path = known[name]
    found = set()

    def visit(node):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            if not for_types:
                return
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            around = name.split(".")
            here = around if path.name == "__init__.py" else around[:-1]
            base = here[: len(here) - node.level + 1] + (
                node.module.split(".") if node.module else []
            )
            for one in node.names:
                full = ".".join([*base, one.name])
                found.add(full if full in {*known, *EXTENSIONS} else ".".join(base))
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text()))
    return found


def test_the_lower_room_knows_nothing_of_the_rest():
    known = modules()
    lower = {name for name in known if name.startswith("bifold._base")}
    assert len(lower) > 15
    for name in lower:
        assert imports(name, known, for_types=True) <= lower | {"bifold._core"}, name
    above = {name for name in known if name.startswith("bifold._arrays")}
    assert len(above) > 5
    for name in above:
        assert imports(name, known) <= above | lower | {"bifold._core"}, name


def test_no_two_modules_need_each_other():
    known = modules()
    order = list(TopologicalSorter({name: imports(name, known) for name in known}).static_order())
    expected = ["bifold._arrays.memory", "bifold._calls", "bifold"]
    assert sorted(expected, key=order.index) == expected


def test_no_folder_has_more_than_30_modules():
    for folder in {path.parent for path in modules().values()}:
        assert len(list(folder.glob("*.py"))) <= 30, folder


def test_public_classes_are_of_the_package_itself():
    for name in bifold.__all__:
        thing = getattr(bifold, name)
        assert not isinstance(thing, type) or thing.__module__ == "bifold", name


def test_the_extensions_keep_to_the_stable_interface_of_python():
    """A wheel for Python 3.12 and later has no other. Debian's 3.11 would compile more."""
    headers = sorted((Path(sysconfig.get_paths()["include"]) / "cpython").glob("*.h"))
    if not headers:
        pytest.skip("there are no headers of Python")
    others = set()
    for header in headers:
        declared = r"PyAPI_FUNC\([^)]*\)\s*(\w+)\s*\("
        others |= set(re.findall(declared, header.read_text(encoding="utf-8")))
    assert "PyObject_CallOneArg" in others
    stable_since_312 = {"PyObject_Vectorcall", "PyObject_VectorcallMethod", "PyVectorcall_Call"}
    for source in (Path(__file__).parents[1] / "core").glob("*.?pp"):
        called = set(re.findall(r"\b_?Py\w+(?=\s*\()", source.read_text(encoding="utf-8")))
        assert not called & (others - stable_since_312), source.name
