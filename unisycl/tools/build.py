"""``python -m unisycl build pkg.module -o wheels``: a wheel of a package with its kernels compiled.

The module is imported, and every form that ``kernel.declare`` named in the package is compiled for
the targets. The wheel holds the package and one file of kernels, which installs need no compiler
for. Non-goals: extension modules, and building what has a build system of its own: unpack, add the
file, and pack again with ``--into``. Invariant: what is in the file is of the modules as they are
in the wheel.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

import unisycl as sycl
from unisycl.tools import package_kernels, wheel

DEFAULT = "cpu:x86-64-v3,cpu:x86-64-v4"


def add_command(commands: Any) -> None:
    """Add ``build`` to the command line."""
    parser = commands.add_parser(
        "build", help="make a wheel of a package with its kernels compiled", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", help="the module that declares kernels; all of its package goes "
                                       "into the wheel")
    parser.add_argument("-o", "--output", type=Path, default=Path("dist"), metavar="FOLDER",
                        help="where the wheel goes (dist)")
    parser.add_argument("--targets", default=DEFAULT, metavar="LIST",
                        help="what kernels are compiled for, with commas, each a backend and "
                             f"what it calls a kind of device ({DEFAULT})")
    parser.add_argument("--name", help="the distribution (the package's name)")
    parser.add_argument("--version", dest="release", help="its version (__version__ of the "
                                                          "package, or 0.0.0)")
    parser.add_argument("--requires", action="append", default=[], metavar="REQUIREMENT",
                        help="a package it needs besides NumPy; may be given again")
    parser.add_argument("--no-sources", action="store_true",
                        help="ship compiled modules (.pyc) for this Python alone")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Build the wheel and print its path; exit status 2 if that cannot be."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        importlib.import_module(options.module)
    except ImportError as error:
        return _refuse(f"the module '{options.module}' cannot be imported: {error}")
    top = sys.modules[options.module.partition(".")[0]]
    folders = list(getattr(top, "__path__", ()))
    if len(folders) != 1:
        return _refuse(f"'{top.__name__}' is no package in one folder; put the module into one")
    release = options.release or str(getattr(top, "__version__", "0.0.0"))
    made = wheel.Wheel(options.name or top.__name__, release, top.__name__, Path(folders[0]),
                       sources=not options.no_sources)
    try:
        found = package_kernels.compiled(made, [t.strip() for t in options.targets.split(",")])
    except sycl.exception as error:
        return _refuse(str(error))
    for line in found.lines:
        print(line)
    path = made.write(options.output, found.archive, options.requires, native=found.native)
    print(path)
    return 0


def _refuse(message: str) -> int:
    sys.stderr.write("unisycl build: " + " ".join(message.split()) + "\n")
    return 2
