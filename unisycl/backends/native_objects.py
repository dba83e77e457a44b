"""What a driver gives of its own objects, and takes over of a program's: one method per kind.

Non-goals: which SYCL object has which (``api.interop``). Invariant: a kind that a backend does not
have is refused; nothing stands for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Protocol

from unisycl.base.enums import bundle_state, source_language
from unisycl.base.errors import UnsupportedError, errc


class Elements(Protocol):
    """A view of memory (``backends.base.BoundView``)."""

    def array(self) -> Any:
        """Return its elements as an array, where they are the host's."""


class NativeObjects:
    """A backend's own objects behind SYCL's, one method per kind (SYCL 2020 §4.5.1.1).

    Each refuses here (``errc.feature_not_supported``): a backend overrides what it has.
    """

    __slots__ = ("_driver",)

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def platform(self) -> Any:
        """Return the platform of the driver's device."""
        self._refuse("platform")

    def device(self) -> Any:
        """Return the driver's device."""
        self._refuse("device")

    def context(self) -> Any:
        """Return the context that the driver's commands run in."""
        self._refuse("context")

    def session(self) -> Any:
        """Return what is entered while another library of the process is given its memory."""
        self._refuse("session")

    def queue(self) -> Any:
        """Return the queue of the driver's commands; what is given to it comes behind them."""
        self._refuse("queue")

    def memory(self, view: Elements) -> Any:
        """Return the memory of a view; backends of host memory give an array over its elements."""
        self._refuse("memory")

    def kernel(self, executable: Any) -> Any:
        """Return the kernel of an ``Executable``."""
        self._refuse("kernel")

    def program(self, executable: Any) -> Any:
        """Return the program of an ``Executable``."""
        self._refuse("program")

    def binary(self, executable: Any) -> bytes:
        """Return what was compiled for the device, from an object with a ``program``."""
        self._refuse("binary")

    def take(self, function: Any, deps: Sequence[Any], label: str) -> Any:
        """Have a function give commands to a native queue, behind others; return their end."""
        self._refuse("queue for commands of other libraries")

    def sampler(self, *, normalized: bool, addressing: int, filtering: int) -> Any:
        """Return a sampler; addressing and filtering are the native interface's numbers."""
        self._refuse("sampler")

    def user_event(self) -> Any:
        """Return an event that ends by ``set_status(0)``."""
        self._refuse("user event")

    def _refuse(self, kind: str) -> NoReturn:
        raise UnsupportedError(errc.feature_not_supported, f"the backend "
                               f"'{self._driver.backend.name}' has no native {kind}")


class HostObjects(NativeObjects):
    """The native objects where kernels are functions over NumPy arrays: the driver is the rest."""

    __slots__ = ()

    def platform(self) -> Any:
        """Return the driver."""
        return self._driver

    def device(self) -> Any:
        """Return the driver."""
        return self._driver

    def context(self) -> Any:
        """Return the driver."""
        return self._driver

    def queue(self) -> Any:
        """Return the driver."""
        return self._driver

    def memory(self, view: Elements) -> Any:
        """Return an array over the elements."""
        return view.array()

    def kernel(self, executable: Any) -> Any:
        """Return the executable itself."""
        return executable

    def program(self, executable: Any) -> Any:
        """Return the executable itself."""
        return executable


class Adoption:
    """What native objects of a program's own are to a driver, one method per kind.

    Each returns None for an object that is not this driver's, as all are here: a backend without
    native objects has none to take over. What only such objects lead to is refused
    (``errc.feature_not_supported``).
    """

    __slots__ = ("_driver",)

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def is_handle(self, native: Any) -> bool:
        """Say whether something that is no object of a native interface may stand for one."""
        return False

    def device(self, native: Any) -> Any:
        """Return True if it is the driver's device."""
        return None

    def context(self, native: Any) -> Any:
        """Return a driver of this device within that context."""
        return None

    def queue(self, native: Any) -> Any:
        """Return a driver whose commands go to that queue."""
        return None

    def event(self, native: Any) -> Any:
        """Return a ``Completion``."""
        return None

    def memory(self, native: Any) -> Any:
        """Return what ``allocate`` returns, over that memory; kernels may write if ``writable``."""
        return None

    def image(self, native: Any) -> Any:
        """Return its ``order``, ``type`` and ``extent``, ``read`` and ``write`` of its pixels."""
        return None

    def kernel(self, native: Any) -> Any:
        """Return an ``Executable`` whose ``kernel`` is None and whose values go by position.

        A value of None leaves the argument as the program has set it.
        """
        return None

    def built_in(self, name: str) -> Any:
        """Return what ``kernel`` does, of a kernel that the device has built in."""
        self._refuse(f"built-in kernel '{name}'")

    def array(self, native: Any) -> Any:
        """Return a view of another library's array (``base.foreign_objects``) where it lies."""
        return None

    def library(self, native: Any) -> Any:
        """Return the number that kernels' traits ('linked') name a compiled program by."""
        return None

    def program(self, native: Any, state: bundle_state) -> Any:
        """Return what ``source`` does, compiled and linked up to a state.

        Only executables have ``names``.
        """
        return None

    def options(self, words: tuple[str, ...]) -> Any:
        """Return the words, which a program of nothing was built with, or raise ``BuildError``."""
        return None

    def language(self, language: source_language) -> bool:
        """Say whether programs may be written in a language."""
        return False

    def source(self, language: source_language, text: str | bytes, words: tuple[str, ...]) -> Any:
        """Return a program with the ``names`` of its kernels, its ``log`` and ``kernel(name)``.

        Raises ``BuildError``.
        """
        self._refuse(f"programs in {language.name}")

    def gl_context(self, asked: Mapping[int, int], devices: Sequence[Any]) -> Any:
        """Return a native context of native devices that shares with OpenGL's."""
        self._refuse("sharing with OpenGL")

    def gl_devices(self, asked: Mapping[int, int], which: str) -> Any:
        """Return the native devices of an OpenGL context."""
        self._refuse("sharing with OpenGL")

    def gl_event(self, sync: int) -> Any:
        """Return a native event of a sync object of OpenGL's."""
        self._refuse("sharing with OpenGL")

    def gl_object(self, kind: str, *numbers: int) -> Any:
        """Return an object of OpenGL's by its kind and numbers."""
        self._refuse("sharing with OpenGL")

    def _refuse(self, what: str) -> NoReturn:
        raise UnsupportedError(errc.feature_not_supported, f"the backend "
                               f"'{self._driver.backend.name}' has no {what}")
