"""Several kernels as one: the first work-groups of a grid run the first, and so on.

Each is printed as ever, as a function in a namespace of its own, in which CUDA's names of ids mean
those of its own launch. Non-goals: compiling and launching. Invariants: the text depends on the
kernels' texts and on their numbers of work-groups and items; work-items that a smaller work-group
does not have leave at once, and barriers do not wait for those.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from unisycl.backends.cfamily.dialect import Dialect, Head
from unisycl.backends.cfamily.kernel import Source
from unisycl.base.dataclass import replace

NAME = "joined_kernels"
"""What the kernel is called."""
_PARAMETER = re.compile(r"(\w+)$")
_BEGIN = """// {names}
struct joined_place {{ unsigned int x, y, z; }};
static __device__ __forceinline__ unsigned int joined_item() {{ return threadIdx.x; }}
static __device__ __forceinline__ unsigned int joined_group() {{ return blockIdx.x; }}
"""
_PART = """
namespace {space} {{
static __device__ __forceinline__ joined_place item_place()
{{
    const unsigned int i = joined_item();
    return {{i % {lx}u, i / {lx}u % {ly}u, i / {plane}u}};
}}
static __device__ __forceinline__ joined_place group_place()
{{
    const unsigned int i = joined_group() - {first}u;
    return {{i % {gx}u, i / {gx}u % {gy}u, i / {floor}u}};
}}
#define threadIdx (::{space}::item_place())
#define blockIdx (::{space}::group_place())
#define blockDim (::joined_place{{{lx}u, {ly}u, {lz}u}})
#define gridDim (::joined_place{{{gx}u, {gy}u, {gz}u}})
{text}#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
}}
"""


class Printed(NamedTuple):
    """A kernel as a part: its text, its parameters' names, and its groups and items in C's order.

    Of groups and items there are three numbers each.
    """

    source: Source
    parameters: tuple[str, ...]
    groups: tuple[int, ...]
    items: tuple[int, ...]

    def group_count(self) -> int:
        """Return how many work-groups it has."""
        return math.prod(self.groups)

    def item_count(self) -> int:
        """Return how many work-items are in each."""
        return math.prod(self.items)


def part_dialect(dialect: Dialect, parameters: list[str]) -> Dialect:
    """Return the dialect of a part, which notes the names of the parameters it prints.

    Their types are members of a structure, from which the joined kernel takes them.
    """
    def head(of: Head) -> str:
        given = [] if of.params == "void" else of.params.split(", ")
        for one in given:
            found = _PARAMETER.search(one)
            assert found is not None
            parameters.append(found[1])
        members = "".join(f"    {one};\n" for one in given)
        return (f"struct joined_types {{\n{members}}};\nstatic __device__ __forceinline__ void\n"
                f"{of.name}({of.params})").replace("(void)", "()")

    return replace(dialect, kernel=head)


def joined_text(parts: Sequence[Printed], names: Sequence[str]) -> Source:
    """Return the text of kernels as one; its parameters are theirs, one kernel's after another's.

    It is launched over as many work-groups as all have together, of as many items as the largest
    has, in one dimension.
    """
    most, first = max(p.item_count() for p in parts), 0
    text, given = [_BEGIN.format(names=" and ".join(names))], []
    body: list[str] = []
    for k, part in enumerate(parts):
        space, (gx, gy, gz), (lx, ly, lz) = f"joined_{k}", part.groups, part.items
        text.append(_PART.format(
            space=space, lx=lx, ly=ly, lz=lz, plane=lx * ly, gx=gx, gy=gy, gz=gz, floor=gx * gy,
            first=first, text=part.source.text))
        own = [f"{name}_{k}" for name in part.parameters]
        given += [f"decltype({space}::joined_types::{name}) {mine}"
                  for name, mine in zip(part.parameters, own, strict=True)]
        first += part.group_count()
        body += [f"    if (blockIdx.x < {first}u) {{"]
        if part.item_count() < most:
            body += [f"        if (threadIdx.x >= {part.item_count()}u) return;"]
        body += [f"        {space}::{part.source.name}({', '.join(own)});", "        return;",
                 "    }"]
    head = (f'extern "C" __global__ void __launch_bounds__({most})\n{NAME}('
            + ",\n    ".join(given) + ")")
    whole = "\n".join(["".join(text), head, "{", *body, "}"]) + "\n"
    return Source(whole, NAME, ())
