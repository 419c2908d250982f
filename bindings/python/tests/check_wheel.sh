#!/usr/bin/env bash
# Builds the wheel into this folder, installs it into a fresh environment, and reduces with it.
#   check_wheel.sh PYTHON
# CMAKE_ARGS are passed on to CMake; -DBIFOLD_PREBUILT=PATH packs a library that exists already.
set -euo pipefail
python=$1
source=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
version=$(sed -n 's/^project(bifold VERSION \([0-9.]*\).*/\1/p' "$source/../../CMakeLists.txt")

die() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

rm -rf wheel environment
files() { git -C "$source" status --porcelain --ignored . 2>/dev/null || find "$source"; }
files >before
# NumPy comes from the system. What builds the wheel is fetched, as for users.
"$python" -m venv --system-site-packages environment
environment/bin/python -m pip wheel --quiet --no-deps --wheel-dir wheel "$source"
files | diff -u before - || die "the build leaves files in the checkout"
tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
core=cpython-${tag#cp}-
((${tag#cp3} < 12)) && tag+=-$tag || { tag=cp312-abi3 && core=abi3; }
wheels=(wheel/*)
[[ ${#wheels[@]} == 1 && ${wheels[0]} == wheel/"bifold-$version-$tag-linux_"*.whl ]] ||
  die "not one wheel for this platform: ${wheels[*]}"

# The package's own files, the extension, the library and the licence; nothing of the tests.
"$python" -m zipfile -l "${wheels[0]}" | awk 'NR > 1 && $1 ~ /^bifold\// {print $1}' |
  sed "s/_core\.$core.*so$/_core/" | LC_ALL=C sort >found
{ (cd "$source" && find bifold -type f ! -path '*/__pycache__/*') &&
  printf '%s\n' bifold/LICENSE bifold/_core bifold/libbifold.so; } | LC_ALL=C sort |
  diff -u - found ||
  die "the wheel has other files than the package"
if "$python" -m zipfile -l "${wheels[0]}" | grep -E 'tests?/|core/|CMakeLists'; then
  die "the wheel holds what belongs to the source tree"
fi

environment/bin/python -m pip install --quiet --no-deps --no-index "${wheels[0]}"
environment/bin/python -I - "$PWD/environment" "$version" <<'END'
import sys
from importlib import metadata
from pathlib import Path

import bifold
import numpy

place, version = Path(sys.argv[1]).resolve(), sys.argv[2]
assert place in Path(bifold.__file__).resolve().parents, bifold.__file__
assert metadata.version("bifold") == bifold.__version__ == version, bifold.__version__
from bifold._base import native

assert Path(native.library()._name).parent == Path(bifold.__file__).parent
try:
    total = bifold.reduce(numpy.arange(10, dtype=numpy.int32))
except bifold.Unavailable as absent:
    print("no device:", absent)
else:
    assert total == 45, total
    print("reduced on", bifold.default_queue().device)
END
