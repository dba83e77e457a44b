"""Public: oneMKL's vector mathematics: ``exp(queue, n, a, y)``, ``add(queue, n, a, b, y)`` ...

By our kernels on every device, whose functions have the accuracy that docs/builtins.md states: all
modes (``mode.ha``, ``la``, ``ep``) are served by the same. Non-goals: strided forms.
"""

from typing import Any

from unisycl.oneapi.mkl.vm.routines import ROUTINES, mode

__all__ = ["mode"]


def __getattr__(name: str) -> Any:
    try:
        return ROUTINES[name]
    except KeyError:
        raise AttributeError(f"oneMKL's vector mathematics has no '{name}'") from None


def __dir__() -> list[str]:
    return sorted([*ROUTINES, *__all__])
