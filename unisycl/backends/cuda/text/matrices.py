"""Matrices of a warp in CUDA C++: ``mma``, ``ldmatrix``, and loads and stores of their cells.

Operands lie in words of 32 bits: block by block of 8 rows (of A) or columns (of B), in each one
word for every 16 bytes of depth; that is what ``mma`` takes of both, so A and B may change places
and the product be turned. Accumulators have two neighbours of each block of 8x8. Non-goals:
which matrices these are (``base.matrices``). Invariant: a name says all there is to know.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily.dialect import Helper

_MAD = re.compile(r"matrix_mad_(\w+?)_(\w+?)_(\w+?)_(\w+?)_(\d+)_(\d+)_(\d+)(_turned)?")
_MOVE = re.compile(
    r"matrix_(load|store)_(\w+?)_([abc])_(\d+)_(\d+)_(row|col|ext)_(global|local)(_turned)?"
    r"(_aligned)?")
_BYTES = {"bf16": 2, "fp16": 2, "tf32": 4, "fp32": 4, "fp64": 8, "sint8": 1, "uint8": 1,
          "e4m3": 1, "e5m2": 1, "sint32": 4}
_PTX = {"bf16": "bf16", "fp16": "f16", "tf32": "tf32", "sint8": "s8", "uint8": "u8",
        "e4m3": "e4m3", "e5m2": "e5m2"}
_WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
_PAIRS = {2: "unsigned int", 4: "uint2", 8: "ulonglong2"}


def helper(name: str) -> Helper | None:
    """Return the function of a name that begins with ``matrix_``; None for any other."""
    found = _MAD.fullmatch(name)
    if found is not None:
        kinds = found.group(1, 2, 3, 4)
        m, n, k = (int(x) for x in found.group(5, 6, 7))
        return _escaped(_product(kinds, (m, n, k), turned=found[8] is not None))
    found = _MOVE.fullmatch(name)
    if found is None:
        return None
    verb, kind, role, order, space = found.group(1, 2, 3, 6, 7)
    rows, cols = int(found[4]), int(found[5])
    if role == "c":
        return _escaped(_accumulator(verb, _BYTES[kind], (rows, cols), order,
                                     turned=found[8] is not None))
    wide, deep = (rows, cols) if role == "a" else (cols, rows)
    along = order == ("row" if role == "a" else "col")
    return _escaped(_operand(verb, _BYTES[kind], (wide, deep), _places(role, order, along, kind),
                             along=along, packed=order == "ext", first=role == "a",
                             local="" if space == "global" else found[9] or "_any"))


def _escaped(text: str) -> Helper:
    """Return a function of a text in which NAME stands for its name."""
    return Helper(text.replace("{", "{{").replace("}", "}}").replace("NAME", "{name}"))


# ---- products
def _product(kinds: tuple[str, ...], shape: tuple[int, int, int], *, turned: bool) -> str:
    """Return ``d = a * b + c``; turned, it is the product of B and A, transposed."""
    a, b, c, d = kinds
    m, n, k = shape
    first, second = ("b", "a") if turned else ("a", "b")
    if turned:
        (m, n), (a, b) = (n, m), (b, a)
    if a == "fp64":
        return _doubles(m, n, k)
    pack = 4 // _BYTES[a]
    step = 4 * pack * (1 if k % (8 * pack) else 2)
    kind = "int" if c == "sint32" else "float"
    letter, sums = ("r", "s32") if kind == "int" else ("f", "f32")
    words, tall = k // (4 * pack), n // 4
    per = step // (4 * pack)
    left = [f"x[(2 * i + {h}) * {words} + k * {per} + {w}]" for w in range(per) for h in range(2)]
    right = [f"y[j * {words} + k * {per} + {w}]" for w in range(per)]
    places = ", ".join(f"%{x}" for x in range(4))
    first_words = ", ".join(f"%{4 + x}" for x in range(len(left)))
    second_words = ", ".join(f"%{4 + len(left) + x}" for x in range(len(right)))
    operands = ", ".join(f'"r"({x})' for x in (*left, *right))
    results = ", ".join(f'"+{letter}"(s[i][j][{x}])' for x in range(4))
    ptx = (f"mma.sync.aligned.m16n8k{step}.row.col.{sums}.{_PTX[a]}.{_PTX[b]}.{sums} "
           f"{{{places}}}, {{{first_words}}}, {{{second_words}}}, {{{places}}};")
    return f"""void NAME(void *d, const void *a, const void *b, const void *c)
{{
    const unsigned int *x = (const unsigned int *){first}, *y = (const unsigned int *){second};
    {kind} s[{m // 16}][{n // 8}][4];
    #pragma unroll
    for (int i = 0; i < {m // 16}; i++)
        #pragma unroll
        for (int j = 0; j < {n // 8}; j++)
            #pragma unroll
            for (int e = 0; e < 4; e++) {{
                const int at = (2 * i + e / 2) * {tall} + 2 * j + e % 2;
                {_taken(c, kind)}
            }}
    #pragma unroll
    for (int k = 0; k < {k // step}; k++)
        #pragma unroll
        for (int i = 0; i < {m // 16}; i++)
            #pragma unroll
            for (int j = 0; j < {n // 8}; j++)
                asm("{ptx}"
                    : {results}
                    : {operands});
    #pragma unroll
    for (int i = 0; i < {m // 16}; i++)
        #pragma unroll
        for (int j = 0; j < {n // 8}; j++)
            #pragma unroll
            for (int e = 0; e < 4; e++) {{
                const int at = (2 * i + e / 2) * {tall} + 2 * j + e % 2;
                {_given(d, kind)}
            }}
}}"""


def _taken(c: str, kind: str) -> str:
    if c == "fp16":
        return ('asm("cvt.f32.f16 %0, %1;" : "=f"(s[i][j][e]) : '
                '"h"(((const unsigned short *)c)[at]));')
    return f"s[i][j][e] = ((const {kind} *)c)[at];"


def _given(d: str, kind: str) -> str:
    if d == "fp16":
        return ('asm("cvt.rn.f16.f32 %0, %1;" : "=h"(((unsigned short *)d)[at]) : '
                '"f"(s[i][j][e]));')
    return f"(({kind} *)d)[at] = s[i][j][e];"


def _doubles(m: int, n: int, k: int) -> str:
    ptx = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
    return f"""void NAME(void *d, const void *a, const void *b, const void *c)
{{
    const double *x = (const double *)a, *y = (const double *)b, *z = (const double *)c;
    double *w = (double *)d;
    #pragma unroll
    for (int i = 0; i < {m // 8}; i++)
        #pragma unroll
        for (int j = 0; j < {n // 8}; j++) {{
            double low = z[i * {n // 4} + 2 * j], high = z[i * {n // 4} + 2 * j + 1];
            #pragma unroll
            for (int k = 0; k < {k // 4}; k++)
                asm("{ptx}"
                    : "+d"(low), "+d"(high) : "d"(x[i * {k // 4} + k]), "d"(y[j * {k // 4} + k]));
            w[i * {n // 4} + 2 * j] = low;
            w[i * {n // 4} + 2 * j + 1] = high;
        }}
}}"""


# ---- operands
_MEET = "\n    __syncwarp();"
_LANE = """    unsigned int lane;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    const int g = lane >> 2, t = lane & 3;"""


def _places(role: str, order: str, along: bool, kind: str) -> str:
    """Return where the element of line ``x`` (of A a row) and depth ``z`` lies."""
    if order == "ext":
        pack = max(1, 4 // _BYTES[kind])
        row, column = ("x", "z") if role == "a" else ("z", "x")
        return f"({row} / {pack}) * stride + ({column}) * {pack} + {row} % {pack}"
    return "x * stride + z" if along else "z * stride + x"


def _operand(verb: str, size: int, shape: tuple[int, int], place: str, *, along: bool,
             local: str, packed: bool, first: bool) -> str:
    """Return a load or store of A or B; ``along``: neighbours in depth are neighbours.

    ``local``: '' in global memory, '_aligned' at multiples of 16 bytes.
    """
    wide, deep = shape
    pack, type = max(1, 4 // size), _WORDS[size]
    words = deep // (4 * pack)
    single = (f"p[{place}] = w[(i * {words} + k) * {pack} + e];" if verb == "store"
              else f"w[(i * {words} + k) * {pack} + e] = p[{place}];")
    number = "int" if local else "long long"
    slow = f"""#pragma unroll
    for (int i = 0; i < {wide // 8}; i++)
        #pragma unroll
        for (int k = 0; k < {words}; k++)
            #pragma unroll
            for (int e = 0; e < {pack}; e++) {{
                const {number} x = 8 * i + g, z = {4 * pack} * k + {pack} * t + e;
                {single}
            }}"""
    head = f"""void NAME(void *cells, void *memory, long long pitch)
{{
{_LANE}
    const {number} stride = ({number})pitch;
    {type} *w = ({type} *)cells, *p = ({type} *)memory;
    __syncwarp();"""
    if verb == "load" and local and size < 8 and not packed and (along or size == 2):
        fast = _by_ldmatrix(shape, size, along=along, sure=local == "_aligned", first=first)
        return f"{head.replace(_MEET, '')}\n{fast}{_MEET}\n    {slow}\n}}"
    if along and size < 4:
        quick = slow[slow.index("#"):].replace(f"""
            #pragma unroll
            for (int e = 0; e < {pack}; e++) {{
                const {number} x = 8 * i + g, z = {4 * pack} * k + {pack} * t + e;
                {single}
            }}""", f"""
            {{
                const {number} x = 8 * i + g, z = {4 * pack} * k + {pack} * t;
                unsigned int *q = (unsigned int *)(p + {place});
                {f"*q = ((unsigned int *)w)[i * {words} + k]" if verb == "store" else
                 f"((unsigned int *)w)[i * {words} + k] = *q"};
            }}""").replace("\n", "\n    ")
        return f"""{head}
    if ((((unsigned long long)p | (unsigned long long)(stride * {size})) & 3) == 0) {{
        {quick}
    }} else {{
        {slow.replace(chr(10), chr(10) + "    ")}
    }}
    __syncwarp();
}}"""
    return f"{head}\n    {slow}\n    __syncwarp();\n}}"


def _by_ldmatrix(shape: tuple[int, int], size: int, *, along: bool, sure: bool,
                 first: bool) -> str:
    """Return loads of 8 times 16 bytes each, for memory whose lines begin at multiples of 16.

    ``sure``: the first line does. ``first``: four blocks go to registers in the order in which
    ``mma`` has those of its first operand, so that none is moved.
    """
    wide, deep = shape[0] // 8, shape[1] // (16 // size)
    depth = 16 // size
    tall = 2 if wide % 2 == 0 else 1
    long = 2 if deep % 2 == 0 else 1
    count = tall * long
    places = [(x, z) for z in range(long) for x in range(tall)] if first else \
        [(x, z) for x in range(tall) for z in range(long)]
    px, pz = ("part & 1", "part >> 1") if first else ("part >> 1", "part & 1")
    if tall == 1 or long == 1:
        px, pz = ("part" if tall == 2 else "0"), ("part" if long == 2 else "0")
    results = ", ".join(f"%{k}" for k in range(count))
    outs = ", ".join(f'"=r"(((unsigned int *)cells)[(x + {x}) * {deep} + z + {z}])'
                     for x, z in places)
    line, step = f"(8 * ({px}) + row) * stride + {depth} * ({pz})", f"8 * x * stride + {depth} * z"
    if not along:
        line = f"({depth} * ({pz}) + row) * stride + 8 * ({px})"
        step = f"{depth} * z * stride + 8 * x"
    return f"""    const unsigned int base = (unsigned int)__cvta_generic_to_shared(memory);
    if ((({"" if sure else "base | "}(unsigned int)(stride * {size})) & 15) == 0) {{
        const int row = lane & 7, part = (lane >> 3) & {count - 1};
        const unsigned int own = base + {size} * ({line});
        #pragma unroll
        for (int x = 0; x < {wide}; x += {tall})
            #pragma unroll
            for (int z = 0; z < {deep}; z += {long})
                asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{"" if along else ".trans"}"
                    ".shared.b16 {{{results}}}, [%{count}];"
                    : {outs} : "r"(own + {size} * ({step})) : "memory");
        return;
    }}"""


# ---- accumulators
def _accumulator(verb: str, size: int, shape: tuple[int, int], order: str, *,
                 turned: bool) -> str:
    """Return a load or store of an accumulator: two neighbours of each block of 8x8."""
    tall, wide = (shape[1], shape[0]) if turned else shape
    type = _WORDS[size]
    along = (order == "row") is not turned
    place = "x * stride + z" if along else "z * stride + x"
    stores = verb == "store"
    single = f"p[{place} + {{e}}]" if along else f"p[{place} + {{e}} * stride]"
    lines = []
    for e in range(2):
        cell = f"w[i * {wide // 4} + 2 * j + {e}]"
        there = single.format(e=e)
        lines.append(f"{there} = {cell};" if stores else f"{cell} = {there};")
    body = "\n                ".join(lines)
    pair = _PAIRS[size]
    if along:
        cells = f"*({pair} *)(w + i * {wide // 4} + 2 * j)"
        there = f"*({pair} *)(p + {place})"
        body = f"""if (paired) {f"{there} = {cells}" if stores else f"{cells} = {there}"};
                else {{
                    {body.replace(chr(10), chr(10) + "    ")}
                }}"""
    return f"""void NAME(void *cells, void *memory, long long stride)
{{
{_LANE}
    {type} *w = ({type} *)cells, *p = ({type} *)memory;
    const bool paired =
        (((unsigned long long)p | (unsigned long long)(stride * {size})) & {2 * size - 1}) == 0;
    __syncwarp();
    #pragma unroll
    for (int i = 0; i < {tall // 8}; i++)
        #pragma unroll
        for (int j = 0; j < {wide // 8}; j++) {{
                const long long x = 8 * i + g, z = 8 * j + 2 * t;
                {body}
        }}
    __syncwarp();
}}"""
