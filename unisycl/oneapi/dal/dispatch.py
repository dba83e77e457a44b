"""train, infer and compute: what a descriptor says, on a queue, by the provider that serves it.

Each waits for its result. Non-goals: the algorithms. Invariant: a rank that is alone gets what
``comm`` left out gives.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.ccl import communicator
from unisycl.oneapi.dal.errors import invalid_argument, unimplemented
from unisycl.oneapi.dal.records import descriptor, record
from unisycl.oneapi.dal.tables import table, table_of
from unisycl.oneapi.dal.work import Work
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame.results import events_of

_VERBS = ("train", "infer", "compute", "partial_train", "finalize_train", "partial_compute",
          "finalize_compute")


def _call(verb: str, queue: Any, desc: Any, given: tuple[Any, ...], comm: Any, after: Any) -> Any:
    if not isinstance(queue, sycl.queue):
        raise invalid_argument(f"{verb}: the first argument is a queue, got "
                               f"{type(queue).__name__}")
    if not isinstance(desc, descriptor):
        raise invalid_argument(f"{verb}: the second argument is a descriptor, such as "
                               f"dal.kmeans.descriptor(), got {type(desc).__name__}")
    if comm is not None and not isinstance(comm, communicator):
        raise invalid_argument(f"{verb}: comm is a communicator of unisycl.oneapi.ccl, got "
                               f"{type(comm).__name__}")
    name = f"{desc.algorithm}.{verb}"
    desc.check()
    _wait_before(queue, after)
    values = [x if x is None or _is_record(x) else table_of(name, _ORDER[min(k, 2)], x)
              for k, x in enumerate(given)]
    kind = _kind(values)
    device = queue.get_device()
    known = providers.LOADED.get(providers.rows_of("dal")[0]).routine(name, kind)
    if known is None:
        verbs = [v for v in _VERBS if providers.LOADED.get(providers.rows_of("dal")[0]).routine(
            f"{desc.algorithm}.{v}", kind)]
        raise unimplemented(f"{name}: {desc.algorithm} has {', '.join(verbs)}")
    routine: Callable[..., Any] = providers.needed(
        "dal", name if comm is None else f"ranks.{name}", kind, device)[1]
    _check_models(name, routine, values)
    work = Work(name, queue, kind, comm)
    try:
        with np.errstate(all="ignore"):  # what is beyond a type is found among the results
            result = routine(work, desc, *values)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:
            raise invalid_argument(f"{name}: {str(error).partition('() ')[2]}") from None
        raise
    except np.linalg.LinAlgError:
        _beyond(work)
    _check_results(work, result)
    return result


def _beyond(work: Work) -> None:
    work.undetermined(f"results are beyond what {work.dtype} holds; scale the columns"
                      + (", or give float64" if work.dtype == np.float32 else ""))


def _check_results(work: Work, found: Any) -> None:
    """Refuse a result with numbers that its type does not hold, a model's included."""
    if not dataclasses.is_dataclass(found) or type(found).__name__.startswith("partial"):
        return
    for one in dataclasses.fields(found):
        value = getattr(found, one.name)
        if isinstance(value, record):
            _check_results(work, value)
        elif isinstance(value, np.ndarray | float) and not np.isfinite(value).all():
            _beyond(work)


def _wait_before(queue: sycl.queue, after: Any) -> None:
    """Wait for what the tables may come of: the host reads some of them, too."""
    events = events_of(after)
    if queue.is_in_order():
        queue.ext_oneapi_submit_barrier(events).wait()
    else:
        sycl.event.wait(events)


def _check_models(name: str, routine: Callable[..., Any], values: list[Any]) -> None:
    """Refuse a model where a table belongs, a table where a model does, and None for either."""
    wanted = list(inspect.signature(routine).parameters.values())[2:]
    for k, (x, one) in enumerate(zip(values, wanted, strict=False)):
        kinds = [s.strip() for s in str(one.annotation).split("|")]
        if x is None and "None" in kinds:
            continue
        is_table = isinstance(x, table)
        if not isinstance(x, routine.__globals__[kinds[0]]):
            found = "a table" if is_table else "None" if x is None else (
                f"a {type(x).__name__} of {type(x).__module__.rpartition('.')[2]}")
            raise invalid_argument(f"{name}: {_PLACES[min(k, 2)]} behind the descriptor must be a "
                                   f"{kinds[0]}, got {found}")


_PLACES = ("the first argument", "the second argument", "the third argument")
_ORDER = ("the first table", "the second table", "the third table")


def _is_record(x: Any) -> bool:
    return isinstance(x, record)


def _kind(values: list[Any]) -> np.dtype[Any]:
    """Return the type to compute in: float32 if the first table, or partial result, has it."""
    for x in values:
        dtype = x.data_type if isinstance(x, table) else getattr(x, "dtype", None)
        if dtype is not None:
            return np.dtype(np.float32 if dtype == np.float32 else np.float64)
    return np.dtype(np.float64)


def _verb(name: str, text: str) -> Callable[..., Any]:
    @ends_at_call
    def verb(queue: sycl.queue, desc: Any, *given: Any, comm: Any = None,
             dependencies: Any = ()) -> Any:
        return _call(name, queue, desc, given, comm, dependencies)

    verb.__name__ = verb.__qualname__ = name
    verb.__doc__ = f"""{text}

    Args:
        queue: where kernels run.
        desc: a descriptor.
        given: tables (or what ``table_of`` makes some of), models, results so far.
        comm: a communicator, where other ranks have tables of their own and call this, too.
        dependencies: events to wait for.
    """
    return verb


train = _verb("train", "Make a model of tables.")
infer = _verb("infer", "Ask a model about a table.")
compute = _verb("compute", "Compute what the descriptor says of tables.")
partial_train = _verb("partial_train", "Add a table to a result so far (None at first).")
finalize_train = _verb("finalize_train", "Make a model of a result so far.")
partial_compute = _verb("partial_compute", "Add a table to a result so far (None at first).")
finalize_compute = _verb("finalize_compute", "Compute what the descriptor says of all tables.")
