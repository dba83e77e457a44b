"""Products of work-groups along a whole depth in CUDA C++: ``wgmma`` fed by bulk copies of tensors.

The copies are told by ``mbarrier``s, one for each stage; of the warps that have read a stage the
last one begins the next copy to it, so no warp waits for another. Tensor maps are made by the
kernel, in memory of the module of which a group takes a part meanwhile. Non-goals: how tiles lie
(``products``). Invariants: what bulk copies cannot take, and groups that get no part, are copied
element by element; elements beyond the depth are 0.
"""

from __future__ import annotations

CELLS = 128
PTX = {"bf16": "bf16", "fp16": "f16", "tf32": "tf32", "sint8": "s8", "uint8": "u8",
       "e4m3": "e4m3", "e5m2": "e5m2"}
BYTES = {"bf16": 2, "fp16": 2, "tf32": 4, "sint8": 1, "uint8": 1, "e4m3": 1, "e5m2": 1}
WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int"}
_MAPPED = {1: "0", 2: "1", 4: "2"}
"""What tensor maps call unsigned integers of so many bytes; copies change no bits."""
SMS, PARTS = 256, 8
"""Parts of the module's memory for maps: for so many multiprocessors, so many groups on each."""


def sums(kind: str) -> str:
    """Return what products of a type of elements are added in."""
    return "int" if kind.endswith("int8") else "float"


def deep(kind: str) -> int:
    """Return how many elements are the 128 bytes of a row of a tile."""
    return 128 // BYTES[kind]

_BASE = """const unsigned int base =
        ((unsigned int)__cvta_generic_to_shared(memory) + 1023u) & ~1023u;"""
_ME = "const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;"


def multiply(kind: str, at: str, accumulators: str = "s", *, turned: bool = False) -> str:
    """Return statements that begin the products of a stage: ``at`` says where A and B begin.

    ``turned``: columns of B lie in rows of 128 bytes, as rows of A do.
    """
    places = ", ".join(f"%{k}" for k in range(CELLS))
    whole = sums(kind) == "int"
    letter, result = ("r", "s32") if whole else ("f", "f32")
    cells = ", ".join(f'"+{letter}"({accumulators}[{k}])' for k in range(CELLS))
    type, bytes = PTX[kind], BYTES[kind]
    flags = "1" if whole else "1, 1, 1"
    apart, step = (1, 32) if turned else (512, 2048)
    if bytes == 2:
        flags += ", 0, 0" if turned else ", 0, 1"
    return f"""asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    {at}
    #pragma unroll
    for (int z = 0; z < 4; z++) {{
        const unsigned long long x = (1ull << 62) | (64ull << 32) | (1ull << 16)
            | (unsigned long long)((first + z * 32 & 0x3FFFF) >> 4);
        const unsigned long long y = (1ull << 62) | (64ull << 32) | ({apart}ull << 16)
            | (unsigned long long)((second + z * {step} & 0x3FFFF) >> 4);
        asm volatile("wgmma.mma_async.sync.aligned.m64n256k{32 // bytes}.{result}.{type}.{type} "
            "{{{places}}}, %{CELLS}, %{CELLS + 1}, {flags};"
            : {cells}
            : "l"(x), "l"(y));
    }}
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");"""


def _map(number: int, address: str, shape: tuple[str, str], stride: str, box: int,
         bytes: int) -> str:
    """Return statements that describe rows of elements, of which boxes are copied."""
    word = f'"r"(maps + {number * 128})'
    one = "tensormap.replace.tile.{}.shared::cta.b1024.b{} [%0], {};"

    def put(field: str, bits: int, what: str, value: str = "") -> str:
        operands = word + (f', "{"l" if bits == 64 else "r"}"({value})' if value else "")
        return f'asm volatile("{one.format(field, bits, what)}" :: {operands} : "memory");'
    lines = [put("global_address", 64, "%1", f"(unsigned long long){address}"),
             put("rank", 32, "1")]
    for k, (extent, width) in enumerate(zip(shape, (128 // bytes, box), strict=True)):
        lines += [put("box_dim", 32, f"{k}, %1", str(width)),
                  put("global_dim", 32, f"{k}, %1", f"(unsigned int)({extent})"),
                  put("element_stride", 32, f"{k}, %1", "1")]
    lines += [put("global_stride", 64, "0, %1", f"(unsigned long long)({stride} * {bytes})"),
              put("elemtype", 32, _MAPPED[bytes]), put("interleave_layout", 32, "0"),
              put("swizzle_mode", 32, "3"), put("fill_mode", 32, "0")]
    return "\n            ".join(lines)


_COPY = """asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
            ".mbarrier::complete_tx::bytes [%0], [%1, {{%2, %3}}], [%4];"
            :: "r"({to}), "l"({map}), "r"({x}), "r"({y}), "r"(told + s * 8) : "memory");"""


def along(kind: str, rows: int, stages: int, *, turned: bool) -> str:
    """Return the function that adds the product of rows of A and columns of B along a depth."""
    wide, cell = deep(kind), sums(kind)
    total = stages * (rows * 128 + 32768)
    return f"""void NAME(void *cells, void *memory, void *a, void *b, long long left,
    long long right, long long depth)
{{
    static __device__ __align__(128) unsigned char kept[{SMS * PARTS * 256}];
    static __device__ unsigned int taken[{SMS}];
    {_BASE}
    unsigned char *bytes = (unsigned char *)memory
        + (base - (unsigned int)__cvta_generic_to_shared(memory));
    {_ME}
    const int chunks = (int)((depth + {wide - 1}) / {wide});
    const unsigned int maps = base + {total}, told = maps + 256;
    volatile unsigned int *done = (volatile unsigned int *)(bytes + {total + 256 + 8 * stages});
    volatile unsigned int *part = done + {stages};
    {cell} c[{CELLS}];
    #pragma unroll
    for (int k = 0; k < {CELLS}; k++) c[k] = ((const {cell} *)cells)[k];
    unsigned int sm, bit = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const bool suits = __CUDACC_VER_MAJOR__ >= 13 && sm < {SMS} && depth > 0
        && left > 0 && right > 0 && left < (1ll << 37) && right < (1ll << 37)
        && depth < (1ll << 31) && (((unsigned long long)a | (unsigned long long)b
            | (unsigned long long)((left | right) * {BYTES[kind]})) & 15) == 0;
    __syncthreads();
    {_prepared(kind, rows, stages, turned=turned)}
    if (*part != 0) {{
        {_by_copies(kind, rows, stages, turned=turned)}
    }} else for (int t = 0; t < chunks; t++) {{
        {_by_hand(kind, rows, stages, turned=turned)}
    }}
    #pragma unroll
    for (int k = 0; k < {CELLS}; k++) (({cell} *)cells)[k] = c[k];
    __syncthreads();
    if (me == 0) {{
        for (int s = 0; s < {stages}; s++)
            asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(told + s * 8) : "memory");
        if (bit != 0) {{
            __threadfence();
            atomicAnd(taken + sm, ~bit);
        }}
    }}
}}"""


def _prepared(kind: str, rows: int, stages: int, *, turned: bool) -> str:
    """Return statements that make the barriers, take a part of the module's memory, make maps."""
    total, bytes = stages * (rows * 128 + 32768), BYTES[kind]
    columns = (("depth", "256"), 256) if turned else (("256", "depth"), deep(kind))
    return f"""if (me < 32) {{
        ((volatile unsigned int *)(bytes + {total}))[me] = 0;
        ((volatile unsigned int *)(bytes + {total}))[32 + me] = 0;
        if (me == 0) {{
            for (int s = 0; s < {stages}; s++) {{
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(told + s * 8)
                    : "memory");
                done[s] = 0;
            }}
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            for (unsigned int free = {(1 << PARTS) - 1}; suits && free != 0;) {{
                const unsigned int low = free & -free;
                const unsigned int was = atomicOr(taken + sm, low);
                if ((was & low) == 0) {{
                    bit = low;
                    break;
                }}
                free &= ~was;
            }}
            *part = bit == 0 ? 0 : (sm * {PARTS} + __ffs(bit) - 1) * 256 + 1;
        }}
        __syncwarp();
        if (me == 0 && bit != 0) {{
            {_map(0, "a", ("depth", str(rows)), "left", rows, bytes)}
            {_map(1, "b", columns[0], "right", columns[1], bytes)}
        }}
        __syncwarp();
        if (*part != 0)
            for (int k = 0; k < 2; k++)
                asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
                    ".release.gpu.sync.aligned [%0], [%1], 128;"
                    :: "l"(__cvta_generic_to_global(kept + *part - 1 + k * 128)),
                       "r"(maps + k * 128) : "memory");
    }}
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();"""


def _ended(kind: str) -> str:
    """Return a statement that waits for the work-item's products."""
    letter = "r" if sums(kind) == "int" else "f"
    cells = ", ".join(f'"+{letter}"(c[{k}])' for k in range(CELLS))
    return f'asm volatile("wgmma.wait_group.sync.aligned 0;" : {cells} :: "memory");'


def _by_copies(kind: str, rows: int, stages: int, *, turned: bool) -> str:
    """Return statements that multiply what bulk copies bring."""
    size, warps = rows * 128, rows // 16
    along = f"t * {deep(kind)}"
    copy_a = _COPY.format(to=f"base + s * {size}", map="mine", x=along, y="0")
    to = f"base + {stages * size} + s * 32768"
    copy_b = (_COPY.format(to=to, map="mine + 128", x=along, y="0") if turned else
              "#pragma unroll\n            for (int q = 0; q < 4; q++)\n                "
              + _COPY.format(to=f"{to} + q * 8192", map="mine + 128", x="q * 64", y=along))
    products = multiply(kind, f"""const unsigned int first = base + s * {size} + me / 128 * 8192;
    const unsigned int second = base + {stages * size} + s * 32768;""", "c", turned=turned).replace(
        "\n", "\n        ")
    return f"""const unsigned char *mine = kept + *part - 1;
        const auto begin = [&](int t) {{
            const int s = t % {stages};
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], {size + 32768};"
                :: "r"(told + s * 8) : "memory");
            {copy_a}
            {copy_b}
        }};
        if ((me & 31) == 0) {{
            for (int k = 0; k < 2; k++)
                asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;"
                    :: "l"(mine + k * 128) : "memory");
            if (me == 0)
                for (int t = 0; t < {stages} && t < chunks; t++) begin(t);
        }}
        __syncwarp();
        for (int t = 0; t < chunks; t++) {{
            const int s = t % {stages};
            unsigned int there;
            do asm volatile("{{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                " selp.u32 %0, 1, 0, p;}}"
                : "=r"(there) : "r"(told + s * 8), "r"(t / {stages} & 1) : "memory");
            while (there == 0);
            {products}
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            const int next = t - 1 + {stages};
            if (t > 0 && next < chunks && (me & 31) == 0) {{
                unsigned int before;
                asm volatile("atom.acq_rel.cta.shared::cta.add.u32 %0, [%1], 1;" : "=r"(before)
                    : "r"(told + {8 * stages} + (t - 1) % {stages} * 4) : "memory");
                if ((before + 1) % {warps} == 0) begin(next);
            }}
            __syncwarp();
        }}
        {_ended(kind)}"""


def _by_hand(kind: str, rows: int, stages: int, *, turned: bool) -> str:
    """Return statements that copy and multiply one stage element by element."""
    size, wide, bytes = rows * 128, deep(kind), BYTES[kind]
    word, pack = WORDS[bytes], 16 // bytes
    products = multiply(kind, f"""const unsigned int first = base + me / 128 * 8192;
    const unsigned int second = base + {stages * size};""", "c", turned=turned).replace(
        "\n", "\n    ")

    def lines(first: int, count: int, source: str) -> str:
        return f"""for (int at = me; at < {count} * {wide}; at += {2 * rows}) {{
            const int row = at / {wide}, column = at % {wide};
            *({word} *)(bytes + {first} + row * 128 + (column / {pack} ^ (row & 7)) * 16
                + column % {pack} * {bytes}) = column < wide
                ? ((const {word} *){source} + t * {wide} + column] : 0;
        }}"""
    blocks = f"""for (int at = me; at < 64 * 256; at += {2 * rows}) {{
            const int row = at / 256, column = at % 256, part = column % 64;
            *(unsigned short *)(bytes + {stages * size} + column / 64 * 8192 + row * 128
                + (part / 8 ^ (row & 7)) * 16 + part % 8 * 2) = row < wide
                ? ((const unsigned short *)b)[(t * 64ll + row) * right + column] : 0;
        }}"""
    return f"""const long long wide = depth - t * {wide}ll;
        {lines(0, rows, "a)[row * left")}
        {lines(stages * size, 256, "b)[row * right") if turned else blocks}
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        {products}
        {_ended(kind)}
        __syncthreads();"""
