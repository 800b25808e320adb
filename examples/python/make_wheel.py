"""pip runs this to build and install the package "bloom": bloom.py as its
__init__.py, py.typed, and libbloom.so. The library is built from bloom.h and
its companions, so this needs the whole checkout, make and a C compiler. The
checkout must be writable, because new files go to its build/. It needs nothing
from a package index: a wheel is a zip file (PEP 427), and this is pip's own
interface to what builds one (PEP 517; PEP 660 for pip install -e)."""
import os
import re
import subprocess
import sys
from base64 import urlsafe_b64encode
from hashlib import sha256
from sysconfig import get_platform
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))


def read(*names):
    with open(os.path.join(*names), "rb") as file:
        return file.read()


def library():
    subprocess.check_call(["make", "-s", "-C", root, "build/libbloom.so",
                           "CC=" + os.environ.get("CC", "cc")])
    return read(root, "build", "libbloom.so")


def wheel(folder, files):
    """Write a wheel of these files, and return its name."""
    header = read(root, "bloom.h").decode()
    number = int(re.search(r"^#define BLOOM_VERSION (\d+)$", header,
                           re.M).group(1))
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    licence = re.search(r"SPDX-License-Identifier: *(.*)", header).group(1)
    platform = re.sub("[-.]", "_", get_platform())
    if sys.maxsize < 2**32:             # a 32-bit Python on a 64-bit kernel
        platform = platform.replace("x86_64", "i686").replace("aarch64",
                                                              "armv7l")
    tag, info = "py3-none-" + platform, f"bloom_h-{version}.dist-info/"
    files = {**files, info + "METADATA": f"""\
Metadata-Version: 2.1
Name: bloom-h
Version: {version}
Summary: Bloom filters that keep the false-positive rate you ask for
License: {licence}
Requires-Python: >=3.8
""".encode(), info + "WHEEL": f"""\
Wheel-Version: 1.0
Generator: bloom-h
Root-Is-Purelib: false
Tag: {tag}
""".encode()}
    record = [f"{name},sha256=" + urlsafe_b64encode(
        sha256(data).digest()).decode().rstrip("=") + f",{len(data)}\n"
        for name, data in files.items()]
    files[info + "RECORD"] = "".join([*record, info + "RECORD,,\n"]).encode()
    made = f"bloom_h-{version}-{tag}.whl"
    with ZipFile(os.path.join(folder, made), "w") as file:
        for name, data in files.items():
            entry = ZipInfo(name)       # of 1980: equal wheels for equal files
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            file.writestr(entry, data)
    return made


def build_wheel(folder, settings=None, metadata=None):
    return wheel(folder, {
        "bloom/__init__.py": read(here, "bloom.py"),
        "bloom/__main__.py": b"from . import _main\n\n_main()\n",
        "bloom/libbloom.so": library(),
        "bloom/py.typed": b""})


def build_editable(folder, settings=None, metadata=None):
    """For pip install -e: the folder of bloom.py, as a line for sys.path."""
    library()                           # bloom.py finds it in build/
    return wheel(folder, {"bloom_h.pth": here.encode() + b"\n"})


def build_sdist(folder, settings=None):
    raise NotImplementedError("the package is built from a whole checkout of "
                              "bloom.h, so it cannot be archived alone")
