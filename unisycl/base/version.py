"""Version numbers packed as OpenCL packs them: 10 bits major, 10 minor, 12 patch.

Non-goals: the version of SYCL (``features``). Invariant: packed numbers order as versions do.
"""

from __future__ import annotations

from dataclasses import dataclass

from unisycl.base.errors import UsageError, errc

_MINOR, _PATCH = 10, 12


class cl_version(int):
    """A packed version (OpenCL 3.0 §3.4.3); an int that also knows its parts."""

    __slots__ = ()

    @property
    def major(self) -> int:
        """The major number."""
        return int(self) >> (_MINOR + _PATCH)

    @property
    def minor(self) -> int:
        """The minor number."""
        return int(self) >> _PATCH & (1 << _MINOR) - 1

    @property
    def patch(self) -> int:
        """The patch number."""
        return int(self) & (1 << _PATCH) - 1

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    def __repr__(self) -> str:
        return f"make_version({self.major}, {self.minor}, {self.patch})"


def make_version(major: int, minor: int, patch: int = 0) -> cl_version:
    """Pack a version (OpenCL 3.0 §3.4.3); ``errc.invalid`` if a part does not fit its bits."""
    if not (0 <= major < 1 << 10 and 0 <= minor < 1 << _MINOR and 0 <= patch < 1 << _PATCH):
        raise UsageError(errc.invalid, f"make_version({major}, {minor}, {patch}): major and minor "
                         "must be below 1024, patch below 4096, none negative")
    return cl_version(major << (_MINOR + _PATCH) | minor << _PATCH | patch)


@dataclass(frozen=True, slots=True)
class name_version:
    """A named thing and its version (OpenCL 3.0 ``cl_name_version``)."""

    version: cl_version
    name: str
