"""A Conan 2 recipe: conan create examples/packages. It takes the headers from
the checkout that this file is in."""
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load, save


class Bloom(ConanFile):
    name = "bloom-h"
    description = "Bloom filters that keep the false-positive rate you ask for"
    license = "MIT OR Unlicense"
    topics = ("bloom-filter", "header-only")
    package_type = "header-library"
    no_copy_source = True

    @property
    def _root(self):
        return os.path.abspath(os.path.join(self.recipe_folder, "../.."))

    def set_version(self):
        header = load(self, os.path.join(self._root, "bloom.h"))
        number = int(re.search(r"#define BLOOM_VERSION (\d+)", header).group(1))
        self.version = "{}.{}.{}".format(number // 10000, number // 100 % 100,
                                         number % 100)

    def export_sources(self):
        for folder in ".", "examples/companions":
            copy(self, "bloom*.h", os.path.join(self._root, folder),
                 self.export_sources_folder)

    def package(self):
        copy(self, "bloom*.h", self.source_folder,
             os.path.join(self.package_folder, "include"))
        header = load(self, os.path.join(self.source_folder, "bloom.h"))
        save(self, os.path.join(self.package_folder, "licenses/LICENSE"),
             header[header.index("/* ---- Licence"):])

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "bloom")
        self.cpp_info.set_property("cmake_target_name", "bloom::bloom")
