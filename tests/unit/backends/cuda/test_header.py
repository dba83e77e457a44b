"""Functions and structures of NVIDIA's driver as declared here, beside those of its own header.

A compiler of C++ looks at both; nothing is linked or run.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from unisycl.backends.cuda import api
from unisycl.backends.cuda.text import compile as compiler

STRUCTURES = {api.Copy2D: "CUDA_MEMCPY2D_v2", api.LaunchConfig: "CUlaunchConfig",
              api.KernelNode: "CUDA_KERNEL_NODE_PARAMS_v2", api.Copy3D: "CUDA_MEMCPY3D_v2",
              api.Fill: "CUDA_MEMSET_NODE_PARAMS_v1", api.Access: "CUmemAccessDesc_v1",
              api.IpcHandle: "CUipcMemHandle_v1", api.ConditionalNode: "CUgraphNodeParams",
              api.PitchedResource: "CUDA_RESOURCE_DESC", api.TextureDesc: "CUDA_TEXTURE_DESC",
              api.AllocationProp: "CUmemAllocationProp"}
INNER = {
    api.AllocationProp: {"place": "location.type", "id": "location.id"},
    api.PitchedResource: {x: f"res.pitch2D.{x}" for x in (
        "devPtr", "format", "numChannels", "width", "height", "pitchInBytes")},
    api.Access: {"type": "location.type", "id": "location.id"},
    api.ConditionalNode: {"handle": "conditional.handle", "kind": "conditional.type",
                          "size": "conditional.size", "graphs": "conditional.phGraph_out",
                          "context": "conditional.ctx"}}
FILLS = ("rest",)  # what other kinds of nodes have there
BEGIN = """
#define __CUDA_API_VERSION_INTERNAL
#include <cstddef>
#include <cuda.h>
template <class F> struct Sizes;
template <class R, class... A> struct Sizes<R (*)(A...)> {
    template <class... N> static constexpr bool are(N... n) {
        const std::size_t want[] = {sizeof(R), sizeof(A)...};
        const std::size_t got[] = {sizeof(int), std::size_t(n)...};
        if (sizeof...(A) != sizeof...(N)) return false;
        for (std::size_t i = 0; i <= sizeof...(N); i++)
            if (want[i] != got[i]) return false;
        return true;
    }
};
"""


def refusal(tmp_path: Path, lines: list[str]) -> str:
    """Return what the compiler says of some declarations beside NVIDIA's header."""
    tool = shutil.which("g++") or shutil.which("clang++")
    folders = [x for x in compiler.headers() if Path(x, "cuda.h").exists()]
    if tool is None or not folders:
        pytest.skip("no compiler of C++, or no header: apt-get install g++; "
                    "pip install nvidia-cuda-runtime")
    text = tmp_path / "declared.cpp"
    text.write_text(BEGIN + "\n".join(lines))
    done = subprocess.run((tool, "-std=c++17", "-fsyntax-only", "-w", f"-I{folders[0]}", text),
                          capture_output=True, text=True, check=False)
    return done.stderr


def function(name: str, types: tuple[Any, ...]) -> str:
    sizes = ", ".join(str(ctypes.sizeof(t)) for t in types)
    return f'static_assert(Sizes<decltype(&{name})>::are({sizes}), "{name}");'


def structure(kind: Any, name: str) -> list[str]:
    lines = [f'static_assert(sizeof({name}) == {ctypes.sizeof(kind)}, "{name}");']
    for mine, *_ in kind._fields_:
        if mine in FILLS:
            continue
        at, field = getattr(kind, mine), INNER.get(kind, {}).get(mine, mine)
        lines += [f'static_assert(offsetof({name}, {field}) == {at.offset}, "{name}.{field}");',
                  f'static_assert(sizeof((({name} *)0)->{field}) == {at.size}, "{field}");']
    return lines


def test_what_is_declared_here_is_what_the_header_declares(tmp_path: Path) -> None:
    lines = [function(*row) for row in (*api._FUNCTIONS.items(), *api._QUICK.items())]
    for kind, name in STRUCTURES.items():
        lines += structure(kind, name)
    assert refusal(tmp_path, lines) == ""


def test_every_structure_is_looked_at() -> None:
    known = {x for x in vars(api).values() if isinstance(x, type)
             and issubclass(x, ctypes.Structure)}
    assert known == set(STRUCTURES)


def test_a_wrong_declaration_is_found(tmp_path: Path) -> None:
    said = refusal(tmp_path, [function("cuMemAlloc_v2", (ctypes.c_void_p, ctypes.c_int))])
    assert "cuMemAlloc_v2" in said
    said = refusal(tmp_path, structure(api.KernelNode, "CUDA_KERNEL_NODE_PARAMS_v1"))
    assert "CUDA_KERNEL_NODE_PARAMS_v1" in said
