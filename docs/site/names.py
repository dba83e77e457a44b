"""The public names of unisycl by the page of the reference that has them.

Non-goals: what pages say of them (``reference``). Invariant: each public name is on one page.
"""

from __future__ import annotations

import importlib
import pkgutil
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
}
LIBRARIES = "unisycl.oneapi"
"""The package of the libraries: each public one below it has a page, ``oneapi-NAME``."""


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


def offered(module: Any) -> list[str]:
    """Return the names that a public module says it has."""
    if "__dir__" in vars(module) or not hasattr(module, "__all__"):
        return [n for n in dir(module) if getattr(module, n) not in (Any, annotations)]
    return list(module.__all__)


def libraries() -> dict[str, tuple[str, str]]:
    """Return the pages of oneAPI's libraries: titles and modules."""
    found: dict[str, tuple[str, str]] = {}
    home = importlib.import_module(LIBRARIES)
    for part in pkgutil.walk_packages(home.__path__, f"{LIBRARIES}."):
        name = part.name.removeprefix(f"{LIBRARIES}.")
        if part.ispkg and not {"frame", "kernels"} & set(name.split(".")) and hasattr(
                importlib.import_module(part.name), "__all__"):
            found[f"oneapi-{name.replace('.', '-')}"] = f"oneapi.{name}", part.name
    return found


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
    for page, (title, module) in {**EXTENSIONS, **libraries()}.items():
        loaded = importlib.import_module(module)
        names = sorted(n for n in offered(loaded) if n[0] != "_")
        found[page] = title, [Name(n, module, getattr(loaded, n)) for n in names]
    return found
