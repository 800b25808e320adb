"""pip runs this to build and install the package "bloom": bloom.py as its
__init__.py, py.typed, and libbloom.so. The library is built from bloom.h and
its companions, so this needs the whole checkout, make and a C compiler. The
checkout must be writable, because intermediate files go to its build/."""
import os
import re
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

root = os.path.abspath("../..")
made = os.path.join(root, "build", "python")


class Build(build_py):
    def find_package_modules(self, package, package_dir):
        return [(package, "__init__", "bloom.py")]

    def run(self):
        super().run()
        subprocess.check_call(["make", "-s", "-C", root, "build/libbloom.so",
                               "CC=" + os.environ.get("CC", "cc")])
        self.copy_file(os.path.join(root, "build", "libbloom.so"),
                       os.path.join(self.build_lib, "bloom"))


class Platform(Distribution):
    def has_ext_modules(self):          # so the wheel is for this system only
        return True


os.makedirs(made, exist_ok=True)
with open(os.path.join(root, "bloom.h")) as file:
    number = int(re.search(r"^#define BLOOM_VERSION (\d+)$", file.read(),
                           re.M).group(1))
version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
setup(name="bloom-h", version=version, license="MIT OR Unlicense",
      description="Bloom filters that keep the false-positive rate you ask for",
      python_requires=">=3.8", packages=["bloom"], package_dir={"bloom": "."},
      package_data={"bloom": ["py.typed"]}, distclass=Platform,
      cmdclass={"build_py": Build},
      options={"build": {"build_base": made}, "egg_info": {"egg_base": made}})
