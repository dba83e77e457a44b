"""Names that OpenCL C has already."""

from __future__ import annotations

from pathlib import Path

import pytest

from unisycl.backends.cfamily.names import Names
from unisycl.backends.opencl.text import builtins, reserved

LIST = Path(__file__).parents[4] / "conformance" / "kernel" / "c_names.txt"
TYPES = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
         "half")


def every_name() -> list[str]:
    found = LIST.read_text(encoding="utf-8").split()
    for type in TYPES:
        for width in ("", "2", "3", "4", "8", "16"):
            found += [f"as_{type}{width}", *([f"{type}{width}"] if width else [])]
            found += [f"convert_{type}{width}{sat}{mode}" for sat in ("", "_sat")
                      for mode in ("", "_rte", "_rtz", "_rtp", "_rtn")]
    for width in ("2", "3", "4", "8", "16"):
        found += [f"vload{width}", f"vstore{width}", f"vloada_half{width}",
                  f"vstorea_half{width}_rtz"]
    return found


def test_no_name_of_the_language_is_given_to_anything() -> None:
    names = every_name()
    assert len(names) > 1200
    given = Names(reserved.is_reserved)
    assert [] == [n for n in names if given.fresh(n) == n]
    assert [] == [n for n in names if reserved.is_reserved(given.fresh(n))]


def test_every_builtin_of_the_table_is_reserved() -> None:
    same = builtins._FLOAT | builtins._INTEGER
    assert len(same) > 80
    assert [] == [n for n in same if not reserved.is_reserved(n)]


@pytest.mark.parametrize("name", ["x", "total", "index", "get_value", "as_matrix", "half_open",
                                  "convert", "image", "mean", "stepsize", "vload_all", "time",
                                  "work_group", "atomic", "sub_group_id", "linear", "offset"])
def test_names_that_mean_nothing_are_kept(name: str) -> None:
    given = Names(reserved.is_reserved)
    assert name == given.fresh(name)
