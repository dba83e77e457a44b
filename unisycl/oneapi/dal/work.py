"""One call of an algorithm: its queue, its ranks, and tables as kernels read them.

Non-goals: what is computed. Invariants: each kernel follows the one before it; tables are not
changed, nor copied where the device reads them as they lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.oneapi import ccl
from unisycl.oneapi.dal.errors import domain_error, invalid_argument, unimplemented
from unisycl.oneapi.dal.kernels import pairs, records, rows
from unisycl.oneapi.dal.tables import csr_table, homogen_table, table
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.providers import is_processor

Array = np.ndarray[Any, Any]
PART = 2048
"""How many rows are added up by one work-item, before parts are added."""


class Work:
    """What an algorithm works with while it is called.

    Args:
        name: the routine, for messages.
        queue: where its kernels run.
        kind: the type to compute in; of the first table where it is left out.
        comm: a communicator of ``unisycl.oneapi.ccl``, where other ranks take part.
        after: events to wait for.
    """

    def __init__(self, name: str, queue: sycl.queue, kind: npt.DTypeLike, comm: Any = None,
                 after: Any = ()) -> None:
        self.name, self.queue, self.comm = name, queue, comm
        self.call = Call(name, queue, after)
        self.device = queue.get_device()
        self.dtype = np.dtype(kind)
        self.kind: Any = self.dtype.type
        self.doubles = bool(self.device.has(sycl.aspect.fp64))
        if self.dtype == np.float64 and not self.doubles:
            raise unimplemented(f"{name}: this device has no float64; give tables of float32")
        self._in_place = bool(self.device.has(sycl.aspect.usm_system_allocations))

    # ------------------------------------------------------------------ refusing
    def refuse(self, text: str) -> Any:
        """Raise the error of a routine that was given something wrong."""
        raise invalid_argument(f"{self.name}: {text}")

    def undetermined(self, text: str) -> Any:
        """Raise the error of data that do not determine what was asked for."""
        raise domain_error(f"{self.name}: {text}")

    def alone(self) -> None:
        """Refuse other ranks."""
        if self.comm is not None:
            raise unimplemented(f"{self.name}: there is no distributed form of it; gather the rows "
                                "on one rank")

    def need_rows(self, data: table, least: int = 1) -> None:
        """Refuse a table with too few rows, or without columns."""
        if data.row_count < least or data.column_count < 1:
            self.refuse(f"the table has {data.row_count} rows and {data.column_count} columns; "
                        f"{least} and 1 are needed at least")

    def need_columns(self, data: table, columns: int) -> None:
        """Refuse a table that has other columns than the one that was trained with."""
        if data.column_count != columns:
            self.refuse(f"the table has {data.column_count} columns where the model has {columns}")

    # ------------------------------------------------------------------ memory
    def empty(self, count: int, kind: npt.DTypeLike | None = None) -> Any:
        """Return memory that kernels and the host use, with anything in it."""
        return self.call.scratch(count, np.dtype(self.dtype if kind is None else kind)).base

    def put(self, values: Any, kind: npt.DTypeLike | None = None) -> Any:
        """Return an array of the host as kernels read it: in place where they can."""
        found = np.ascontiguousarray(values, self.dtype if kind is None else kind).reshape(-1)
        return found if self._in_place else self.call.kept(found)

    def launch(self, space: Any, kernel: Any, *args: Any) -> None:
        """Run a kernel behind the one before it."""
        self.call.launch(space, kernel, *args)

    def host(self, memory: Any) -> Array:
        """Wait, and return what kernels wrote."""
        self.call.done().wait()
        return np.asarray(memory)

    def wait(self) -> None:
        """Wait for all kernels so far."""
        self.call.done().wait()

    # ------------------------------------------------------------------ tables
    def rows(self, data: table) -> Any:
        """Return the elements of a table row by row, in the type of this call; refuse NaN."""
        if isinstance(data, csr_table):
            found = self._dense(data)
        elif isinstance(data, homogen_table) and data.usm is not None:
            found = self._of_usm(data)
        else:
            found = self.put(data.array())
        self._check_finite(data, found)
        return found

    def _dense(self, data: csr_table) -> Any:
        found = self.empty(data.row_count * data.column_count)
        kept = records.stored(self.put(data.values), self.put(data.columns, np.int64),
                              self.put(data.offsets, np.int64))
        self.launch(data.row_count, rows.expand, np.int64(data.column_count), kept, found)
        return found

    def _of_usm(self, data: homogen_table) -> Any:
        n, d = data.row_count, data.column_count
        source = data.usm.pointer_to(0) if len(data.usm.shape) != 1 else data.usm
        if data.layout == "row_major" and data.data_type == self.dtype:
            return source
        found = self.empty(n * d)
        if data.layout == "row_major":
            self.launch(n * d, rows.convert, source, found)
        else:
            self.launch((n, d), rows.turn, np.int64(d), np.int64(n), source, found)
        return found

    def _check_finite(self, data: table, found: Any) -> None:
        count = data.row_count * data.column_count
        if data.data_type.kind != "f":
            return
        if isinstance(found, np.ndarray) and is_processor(self.device):
            self.wait()
            with np.errstate(all="ignore"):
                wrong = 0 if np.isfinite(found.sum()) else int((~np.isfinite(found)).sum())
        else:
            part = max(-(-count // 256), 1)
            parts = -(-count // part)
            out = self.empty(parts, np.int32)
            self.launch(parts, rows.wrong, np.int64(count), np.int64(part), found, out)
            wrong = int(self.host(out)[:parts].sum())
        if wrong:
            self.refuse(f"{wrong} elements of the table are NaN or infinite; remove or fill them")

    def columns(self, data: table, found: Any = None) -> Any:
        """Return the elements of a table column by column."""
        n, d = data.row_count, data.column_count
        if found is None and isinstance(data, homogen_table) and data.usm is None:
            values = data.array()
            if values.flags.f_contiguous and values.dtype == self.dtype and self._in_place:
                turned = values.T.reshape(-1)
                self._check_finite(data, turned)
                return turned
        found = self.rows(data) if found is None else found
        if d == 1:
            return found
        if isinstance(found, np.ndarray) and is_processor(self.device):
            self.wait()
            return np.ascontiguousarray(found.reshape(n, d).T).reshape(-1)
        out = self.empty(n * d)
        self.launch((d, n), rows.turn, np.int64(n), np.int64(d), found, out)
        return out

    def array(self, data: table) -> Array:
        """Return a table's elements as an array of the host, of two dimensions; refuse NaN."""
        found = self._on_host(data)
        self._check_host("the table", found)
        return found

    def _check_host(self, what: str, found: Array) -> None:
        if found.dtype.kind != "f":
            return
        wrong = int((~np.isfinite(found)).sum())
        if wrong:
            self.refuse(f"{wrong} elements of {what} are NaN or infinite; remove or fill them")

    def _on_host(self, data: table) -> Array:
        usm = getattr(data, "usm", None)
        if usm is None:
            return data.array()
        found = np.empty(data.row_count * data.column_count, data.data_type)
        self.queue.copy(usm.pointer_to(0) if len(usm.shape) != 1 else usm, found,
                        found.size).wait()
        if getattr(data, "layout", "") == "column_major":
            return found.reshape(data.column_count, data.row_count).T
        return found.reshape(data.row_count, data.column_count)

    def values(self, what: str, data: table, count: int) -> Array:
        """Return a table of one column as an array of the host; of so many rows."""
        if data.column_count != 1 or data.row_count != count:
            self.refuse(f"{what} has {data.row_count} rows and {data.column_count} columns; "
                        f"{count} and 1 are needed")
        found = self._on_host(data).reshape(-1)
        self._check_host(what, found)
        return found

    # ------------------------------------------------------------------ what many do
    def compare(self, a: Array, data: table, columns: Any, rule: Any) -> Any:
        """Compare rows of an array with all rows of a table; return memory, row after row.

        Args:
            a: rows of the host's.
            data: the table.
            columns: its elements column by column.
            rule: a ``kernels.records.rule``.
        """
        return self.compare_all(self.put(a), (a.shape[0], a.shape[1]),
                                records.rows(columns, np.int64(data.row_count),
                                             np.int64(data.column_count)), rule)

    def compare_all(self, a: Any, shape: Sequence[int], b: Any, rule: Any) -> Any:
        """Compare rows in memory with those of which ``b`` has the columns."""
        n, m = shape[0], int(b.count)
        out = self.empty(n * m)
        left = records.rows(a, np.int64(n), np.int64(shape[1]))
        self.launch((-(-n // pairs.ROWS), m), pairs.pairs, left, b, rule, out)
        return out

    def smallest(self) -> float:
        """Return a number of which all larger ones have differences whose squares do not vanish."""
        info = np.finfo(self.dtype)
        return float(np.sqrt(info.tiny) / info.eps)

    def need_squares(self, data: table, squares: Array) -> None:
        """Refuse numbers so small that sums of their squares are nothing."""
        if squares.size and squares.max() < np.finfo(self.dtype).tiny:
            most = float(np.abs(self.array(data)).max())
            if 0 < most < self.smallest():
                self.undetermined(f"the elements are at most {most:.2g}, and their squares vanish; "
                                  "scale the columns")

    def products(self, weights: Array, data: table, columns: Any) -> Array:
        """Return the inner products of rows of an array and of a table's rows (table first)."""
        rule = records.rule(pairs.product, pairs.same, self.kind, self.kind(0), self.kind(0))
        found = self.host(self.compare(np.asarray(weights, self.dtype), data, columns, rule))
        count = weights.shape[0]
        return found[:count * data.row_count].reshape(count, data.row_count).T

    def ranks(self) -> int:
        """Return how many ranks take part."""
        return 1 if self.comm is None else int(self.comm.size())

    def rank(self) -> int:
        """Return which of the ranks this is."""
        return 0 if self.comm is None else int(self.comm.rank())

    def together(self, values: Any, how: str = "sum") -> Array:
        """Return numbers combined over all ranks; without others, as they are."""
        found = np.ascontiguousarray(values)
        if self.comm is None or self.comm.size() == 1:
            return found
        flat = found.reshape(-1).copy()
        ccl.allreduce(flat, flat, getattr(ccl.reduction, how), comm=self.comm).wait()
        return flat.reshape(found.shape)

    def gathered(self, values: Array) -> list[Array]:
        """Return the arrays of all ranks, of any number of rows."""
        if self.comm is None or self.comm.size() == 1:
            return [values]
        width = int(np.prod(values.shape[1:]))
        counts = np.zeros(self.comm.size(), np.int64)
        ccl.allgather(np.array([values.shape[0]], np.int64), counts, comm=self.comm).wait()
        every = np.empty(int(counts.sum()) * width, values.dtype)
        ccl.allgatherv(np.ascontiguousarray(values).reshape(-1), every,
                       [int(c) * width for c in counts], comm=self.comm).wait()
        parts = np.split(every, np.cumsum(counts * width)[:-1])
        return [p.reshape((-1, *values.shape[1:])) for p in parts]


