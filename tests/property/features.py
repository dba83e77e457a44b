"""Which parts of the language a program uses, for counts of what was tested.

Non-goals: judging programs. Invariant: a feature is a pattern in a program's text or a field of its
case.
"""

from __future__ import annotations

import re
from typing import Any

PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in {
    "structs": r"^class S\d", "struct in struct": r"^    s: S\d",
    "arrays in structs": r"^    c: \(",
    "methods called": r"\.m\d\(", "copies of structs": r"copy\.copy\(",
    "vec": r"sycl\.vec\(", "marray": r"sycl\.marray\(", "float16": r"float16",
    "bool": r"a_bool|np\.bool_",
    "private arrays": r" = sycl\.private_array", "tuples": r"^ +t\d+ = \(",
    "unpacking": r"^ +\(?v\d+, v\d+",
    "loops over values": r"for s\d+.* in (reversed|enumerate|zip)?\(",
    "else of a loop": r"^( +)(for|while) [^\n]*\n(?:\1 [^\n]*\n)+\1else:",
    "while": r"^ +while ", "break": r"^ +break", "continue": r"^ +continue",
    "early returns": r"^ {8,}return", "functions": r"^def [fh]", "closures": r"^ +def [hb]",
    "barriers": r"group_barrier|it\.barrier\(", "local memory": r"\bt\d_\w+\[",
    "tiles": r"\bw\d_\w+\[",
    "group functions": r"_(over|of)_group\(|group_broadcast",
    "shuffles": r"(shift_group|permute_group|select_from)", "joint reductions": r"joint_reduce",
    "joint scans": r"joint_\w+_scan", "joint votes": r"joint_(any|all|none)",
    "async copies": r"async_work_group_copy", "atomics": r"atomic_ref\(",
    "compare and exchange": r"compare_exchange", "atomics of floats": r"c(add|min|max)_float",
    "private_memory": r"private_memory\(", "work-item loops": r"parallel_for_work_item",
    "arrays of groups": r"\bga\d+ = ", "sub-groups": r"reqd_sub_group_size",
    "shifts by data": r"(<<|>>) [^\d(]", "division by data": r"(//|%) [^\d]", "powers": r" \*\* ",
    "integer builtins": r"sycl\.(abs_diff|add_sat|sub_sat|r?hadd|mul_hi|rotate|clz|ctz|popcount)",
    "float builtins": r"sycl\.(floor|ceil|trunc|rint|round|fmin|fmax|fdim|fmod|remainder|modf)",
    "names bound anew": r"^ +(v\d+|x\d) = np\.\w+\(\1\)$", "types that never meet": r"^ +r\d+ = ",
    "types that meet": r"^ +m\d+ = ",
    "images": r"g_image\.read", "specialization constants": r"get_specialization_constant",
    "own operators": r"^def own_", "steps at run time": r"range\(.*, st\d+\)",
    "generator expressions": r"(sum|any|all|min|max)\(.* for j\d+ in", "tables": r"T\d+\[",
    "long conditions": r"( and | or )(\(.*\1){5}", "named tuples": r"NamedTuple\)",
    "functions as values": r"= fn\d+\(", "partial functions": r"functools\.partial",
    "match": r"^ +match ", "memories that change places": r"^ +src\d+, dst",
    "arrays with strides": r"\bz(back|column|one)o?_",
    "swaps in private memory": r"^ +sw\d+ = .*\bpr\d+\[|^ +pr\d+\[.*, pr\d+",
    "swaps in local memory": r"^ +sw\d+ = .*l(_\w+)?\[lid|^ +\w+l(_\w+)?\[lid\], ",
    "swaps in global memory": r"^ +sw\d+ = .*oo(_\w+)?\[2|^ +\w+oo(_\w+)?\[2 \* lin\], ",
    "local arrays that change places": r"^ +src\d+, dst\d+ = t0_",
    "local memory declared": r"group_local_memory",
    "atomics of parts": r"atomic_ref\([svy]\w+c(_\w+)?[\[,]",
    "pointers in memory": r" h(read|move|add)_",
    "names that loops give a value": r"^ +v\d+ = un\d+$", "to be refused": r"# refused: ",
    "loops over memory": r"^ +for [^\n]* in (?!range)[^\n]*\b([ab]_\w+|pa\d+|row\d+)",
    "rows gone over": r"^ +for [^\n]* in (enumerate\(|reversed\()?b_\w+\)?:",
    "own rows changed": r"^ +row\d+ = d_", "sums of pairs": r"sum\(x[^\n]* in zip\(",
    "members of ranges": r" not in range\(", "members of memory": r" in (a_|b_|pa)",
    "folds": r"functools\.reduce", "rows filled": r"^ +d_\w+\[lin\]",
    "rows taken apart": r"^ +v\d+, v\d+[^\n]* = b_", "nonlocal": r"^ +nonlocal ",
    "rounding to digits": r"round\([^\n]*, -?\d\)",
    "atomics of few bits": r"atomic_ref\(c\w+int(8|16),"}.items()}


def features(case: Any, text: str) -> list[str]:
    """Return the features of a program."""
    body = text.split("CASE =", 1)[-1]
    found = [name for name, pattern in PATTERNS.items() if pattern.search(body)]
    found += [f"{case.kind} of {len(case.span)}", f"launched: {case.way}"]
    found += ["offset"] * bool(case.offset) + ["reductions"] * bool(case.reductions)
    found += ["launched twice"] * (case.launches > 1)
    return found
