"""Samples of textures in CUDA C++.

Non-goals: making textures (``memory.textures``). Invariant: a texture has two dimensions and gives
floats, four of them whatever it has.
"""

from __future__ import annotations

from unisycl.backends.cfamily.dialect import Helper

_SAMPLE = Helper("""float4 {name}(unsigned long long texture, float x, float y)
{{
    float4 color;
    asm("tex.2d.v4.f32.f32 {{%0, %1, %2, %3}}, [%4, {{%5, %6}}];"
        : "=f"(color.x), "=f"(color.y), "=f"(color.z), "=f"(color.w)
        : "l"(texture), "f"(x), "f"(y));
    return color;
}}""")


def helper(name: str) -> Helper | None:
    """Return the function of a name; None for others."""
    return _SAMPLE if name == "texture_sample" else None
