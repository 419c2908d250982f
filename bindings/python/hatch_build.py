"""Build steps of the wheel and of the source distribution.

A wheel holds the shared library, built by the project's CMake. CMAKE_ARGS are passed on to it, and
CMAKE_BUILD_PARALLEL_LEVEL is CMake's own. BIFOLD_PREBUILT names a shared library that goes in
instead. None of this is looked at by the package when it runs.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OPTIONS = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=ON",
    "-DBIFOLD_TESTS=OFF",
    "-DBIFOLD_BENCH=OFF",
    "-DBIFOLD_EXAMPLES=OFF",
    "-DBIFOLD_INSTALL=OFF",
]


def library_name():
    return {"darwin": "libbifold.dylib", "win32": "bifold.dll"}.get(sys.platform, "libbifold.so")


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name != "wheel":
            raise RuntimeError(
                "the sources of bifold's library lie outside bindings/python: build wheels, from a "
                "checkout (python3 -m build --wheel bindings/python)"
            )
        prebuilt = os.environ.get("BIFOLD_PREBUILT")
        built = Path(prebuilt) if prebuilt else self._build()
        if not built.is_file():
            raise FileNotFoundError(f"there is no library {built}")
        project = Path(self.root).parents[1]
        build_data["force_include"][str(built)] = f"bifold/{library_name()}"
        build_data["force_include"][str(project / "LICENSE")] = "bifold/LICENSE"
        # For this platform, and for every interpreter: ctypes needs no other than its own.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"

    def _build(self):
        project = Path(self.root).parents[1]
        folder = project / "build-wheel"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(
            ["cmake", "-S", project, "-B", folder, *generator, *OPTIONS, *more], check=True
        )
        subprocess.run(["cmake", "--build", folder, "--target", "bifold"], check=True)
        # The link that programs are linked by leads to the file.
        return (folder / library_name()).resolve()
