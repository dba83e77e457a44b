"""A program of its own, run by its whole path: asks one OpenCL runtime what devices it has.

Started with ``-I -S``, so that only the standard library can be imported at first: neither the
current folder nor the program's decides what ``json`` is. Non-goals: who starts it (``asking``),
the question (``probe``). Invariant: where it is told to import from comes behind that library.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys


def main() -> None:
    """Ask; the argument is JSON: folders of packages, the folder of unisycl, and a library."""
    folders, package, library = json.loads(sys.argv[1])
    sys.path += folders
    spec = importlib.util.spec_from_file_location(
        "unisycl", f"{package}/__init__.py", submodule_search_locations=[package])
    assert spec is not None
    assert spec.loader is not None
    sys.modules["unisycl"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    importlib.import_module("unisycl.backends.opencl.discovery.probe").main(library)


if __name__ == "__main__":
    main()
