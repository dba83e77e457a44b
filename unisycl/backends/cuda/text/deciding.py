"""The kernel that reads a condition of a graph and tells CUDA's graph what follows from it.

The driver puts its own function in where it makes code of PTX, so this is PTX whatever the card.
Non-goals: graphs (``launch.controls``). Invariant: a condition holds where its element is not zero.
"""

from __future__ import annotations

from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text.target import Target
from unisycl.base.errors import BuildError, errc
from unisycl.process import disk_cache

NAME = "decide"
_TEXT = """
typedef unsigned long long u64;
extern "C" __device__ void cudaGraphSetConditional(u64 handle, unsigned int value);

// size: the bytes of the condition; sign: whether its highest bit alone is zero; turns: how many
// there were, and whether that was too many, or nothing
extern "C" __global__ void decide(u64 yes, u64 no, const void *at, int size, int sign,
                                  volatile u64 *turns, u64 most, int first)
{
    u64 bits = size == 1 ? *(const volatile unsigned char *)at
        : size == 2 ? *(const volatile unsigned short *)at
        : size == 4 ? *(const volatile unsigned int *)at : *(const volatile u64 *)at;
    if (sign) bits &= ~(1ull << (8 * size - 1));
    bool holds = bits != 0;
    if (turns) {
        if (first) turns[0] = 0;
        if (holds && turns[0] == most) {
            turns[1] = 1;
            holds = false;
        } else if (holds) turns[0] = turns[0] + 1;
    }
    cudaGraphSetConditional(yes, holds);
    if (no) cudaGraphSetConditional(no, !holds);
}
"""


def code(target: Target) -> bytes:
    """Return the kernel for a card's driver to finish."""
    tool = compiler.compiler()
    name, _ = compiler.architecture(target, tool.architectures)
    words = [f"--gpu-architecture=compute_{name.partition('_')[2]}", "--std=c++17",
             "--relocatable-device-code=true"]
    key = disk_cache.key_of("cuda-decide-1", _TEXT, " ".join(words),
                            ".".join(map(str, tool.version)))
    made = disk_cache.load(key)
    if made is None:
        made, log = tool.compile(_TEXT, words, "PTX")
        if not made:
            raise BuildError(errc.build, f"a condition of a graph: NVIDIA's compiler said\n{log}")
        disk_cache.save(key, made)
    return made
