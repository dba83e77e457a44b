"""Namespaces of functions that are public under a name of their own (SYCL 2020 §4.17.6).

Non-goals: what is in them.
"""

from unisycl.lang.numbers import half_precision, native

__all__ = ["half_precision", "native"]
