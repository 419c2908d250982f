# Conan 2, of the tree it lies in:  conan create packaging/conan
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class BifoldConan(ConanFile):
    name = "bifold"
    description = "Reduction and scan on CUDA and OpenCL devices"
    license = "MIT"
    topics = ("reduction", "scan", "prefix-sum", "cuda", "opencl")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "cuda": [True, False],
        "opencl": [True, False],
    }
    # CUDA needs the headers of a toolkit, which Conan has no package of.
    default_options = {"shared": False, "cuda": False, "opencl": True}

    @property
    def top(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self.top, "CMakeLists.txt"))
        self.version = re.search(r"project\(bifold VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "backends/*",
                        "kernels_cu/*", "kernels_cl/*"):
            copy(self, pattern, self.top, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # Both are compiled in from their headers, and hidden.
        self.requires("spdlog/[>=1.10 <2]", visible=False)
        self.requires("fmt/[>=9 <12]", visible=False)
        if self.options.opencl:
            self.requires("opencl-icd-loader/[>=2022]", transitive_libs=not self.options.shared)
            self.requires("opencl-clhpp-headers/[>=2022]", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        deps = CMakeDeps(self)
        # Under the name by which CMake, and so bifold, knows the loader.
        deps.set_property("opencl-icd-loader", "cmake_file_name", "OpenCL")
        deps.set_property("opencl-icd-loader", "cmake_target_name", "OpenCL::OpenCL")
        deps.set_property("opencl-icd-loader", "cmake_find_mode", "both")
        deps.generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "BIFOLD_CUDA": "ON" if self.options.cuda else "OFF",
            "BIFOLD_OPENCL": "ON" if self.options.opencl else "OFF",
            # What a package holds must not depend on what is installed beside Conan.
            "BIFOLD_EMBED_PTX": "OFF",
            "BIFOLD_TESTS": False,
            "BIFOLD_BENCH": False,
            "BIFOLD_EXAMPLES": False,
            "BIFOLD_CPACK": False,
            "BIFOLD_WARNINGS_AS_ERRORS": False,
        })
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Conan writes its own files for find_package and pkg-config.
        for folder in ("cmake", "pkgconfig"):
            rmdir(self, os.path.join(self.package_folder, "lib", folder))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "bifold")
        self.cpp_info.set_property("cmake_target_name", "bifold::bifold")
        self.cpp_info.set_property("pkg_config_name", "bifold")
        self.cpp_info.libs = ["bifold"]
        if not self.options.shared:
            self.cpp_info.system_libs = ["pthread", "dl"]
