# SPDX-License-Identifier: Apache-2.0
"""A recipe of the checkout that this file lies in, for Conan 2."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps


class TamisConan(ConanFile):
    name = "tamis"
    license = "Apache-2.0"
    description = "An embedded key-value store in RocksDB's file formats"
    topics = ("key-value", "lsm-tree", "rocksdb", "leveldb", "filter")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "tools": [True, False]}
    default_options = {"shared": False, "tools": False}

    @property
    def _checkout(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._checkout, "include", "tamis", "version.h"))
        self.version = ".".join(re.findall(r"#define TAMIS_\w+ (\d+)", header))

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "util/*", "filter/*", "table/*",
                     "db/*", "capi/*", "facade/*", "tools/*"):
            copy(self, part, self._checkout, self.export_sources_folder)

    def requirements(self):
        for library in ("snappy/[>=1.1.9 <2]", "xxhash/[>=0.8.1 <1]", "lz4/[>=1.9.4 <2]",
                        "zstd/[>=1.5.2 <2]", "zlib/[>=1.2.13 <2]", "bzip2/[>=1.0.8 <2]"):
            self.requires(library)
        if self.options.tools:
            self.requires("gflags/[>=2.2.2 <3]")
            self.requires("nlohmann_json/[>=3.11 <4]")

    def build_requirements(self):
        self.tool_requires("pkgconf/[>=2 <3]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TAMIS_BUILD_SHARED"] = bool(self.options.shared)
        toolchain.cache_variables["TAMIS_BUILD_TOOLS"] = bool(self.options.tools)
        toolchain.cache_variables["TAMIS_BUILD_ROCKSDB_API"] = False
        toolchain.cache_variables["TAMIS_BUILD_LEVELDB_FACADE"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["tamis"]
        self.cpp_info.set_property("cmake_file_name", "Tamis")
        self.cpp_info.set_property("cmake_target_name", "Tamis::tamis")
        self.cpp_info.set_property("pkg_config_name", "tamis")
        self.cpp_info.system_libs = ["pthread"]
        if not self.options.shared:
            # Threads of open databases may run after a dlclose.
            self.cpp_info.sharedlinkflags = ["-Wl,-z,nodelete"]
