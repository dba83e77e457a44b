"""The public names of unisycl by the page of the reference that has them.

Non-goals: what pages say of them (``reference``). Invariant: each public name is on one page.
"""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

from unisycl import public_names

TITLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "queues": ("Queues, command groups and events", ("api.queue",)),
    "memory": ("Buffers, accessors and USM", ("api.memory", "lang.memory.records")),
    "devices": ("Devices, platforms, contexts and selectors", ("api.devices",)),
    "kernels": ("Kernels and their attributes", (
        "lang.kernels", "process.executed_texts", "lang.index.environment")),
    "bundles": ("Kernel bundles", ("api.bundles",)),
    "index-spaces": ("Index spaces, items and groups", ("base.geometry", "lang.index")),
    "group-functions": ("Group functions and reducers", ("lang.groups", "lang.library")),
    "pointers": ("Pointers, atomics and private memory", ("lang.memory",)),
    "mathematics": ("Mathematics", ("lang.numbers.math", "lang.numbers.geometric",
                                    "lang.numbers.namespaces", "lang.numbers.bits")),
    "operators": ("Function objects", ("lang.numbers.function_objects",)),
    "vectors": ("Vectors", ("lang.numbers.vec", "lang.numbers.marray")),
    "images": ("Images and samplers", ("api.images", "base.image_formats")),
    "interoperability": ("Native objects", ("api.interop",)),
    "properties": ("Properties", ("api.properties",)),
    "enumerations": ("Enumerations", ("base.enums",)),
    "errors": ("Errors", ("base.errors",)),
    "features": ("Constants of features and versions", ("base.features", "base.version")),
}
"""The pages of the names of ``unisycl``: a title, and which modules' names are there."""
EXTENSIONS = {
    "ext-oneapi-experimental": ("ext.oneapi.experimental", "unisycl.ext.oneapi.experimental"),
    "ext-oneapi": ("ext.oneapi", "unisycl.ext.oneapi"),
    "ext-intel": ("ext.intel", "unisycl.ext.intel"),
    "ext-unisycl": ("ext.unisycl", "unisycl.ext.unisycl"),
    "khr": ("khr", "unisycl.khr"),
    "compat12": ("compat12: names of SYCL 1.2", "unisycl.compat12"),
    "dpl": ("oneapi.dpl: parallel algorithms", "unisycl.oneapi.dpl"),
    "mkl-rng": ("oneapi.mkl.rng: random numbers", "unisycl.oneapi.mkl.rng"),
}


@dataclass(frozen=True)
class Name:
    """A public name, the module a program takes it from, and what it stands for."""

    name: str
    module: str
    thing: Any

    @property
    def full(self) -> str:
        """How a program writes it."""
        return f"{self.module}.{self.name}"


def page_of(home: str) -> str:
    """Return the page that has the names of a module: that of the longest prefix."""
    fitting = [(len(begin), page) for page, (_, begins) in TITLES.items() for begin in begins
               if home == begin or home.startswith(f"{begin}.")]
    return max(fitting)[1]


def pages() -> dict[str, tuple[str, list[Name]]]:
    """Return the pages of the reference: titles and names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # names of SYCL 1.2 say what they are
        return _pages()


def _pages() -> dict[str, tuple[str, list[Name]]]:
    found: dict[str, tuple[str, list[Name]]] = {k: (t, []) for k, (t, _) in TITLES.items()}
    unisycl = importlib.import_module("unisycl")
    for name, home in sorted(public_names.homes().items()):
        found[page_of(home)][1].append(Name(name, "unisycl", getattr(unisycl, name)))
    for page, (title, module) in EXTENSIONS.items():
        loaded = importlib.import_module(module)
        names = sorted(n for n in getattr(loaded, "__all__", dir(loaded)) if n[0] != "_")
        found[page] = title, [Name(n, module, getattr(loaded, n)) for n in names]
    return found
