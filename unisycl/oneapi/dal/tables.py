"""Tables: rows of numbers in one block of memory, or in compressed rows (oneDAL's tables).

Made of NumPy's arrays, SciPy's sparse matrices, Arrow's and pandas' tables, USM memory and
buffers. Non-goals: computing. Invariants: a table is not changed; memory that already lies as it is
needed is not copied, and must not be changed while the table is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.dal.errors import invalid_argument

_LAYOUTS = ("row_major", "column_major")


class table:
    """Rows of numbers: see ``homogen_table`` and ``csr_table``."""

    kind = "empty"

    def __init__(self, rows: int, columns: int, dtype: npt.DTypeLike) -> None:
        self.row_count, self.column_count, self.data_type = rows, columns, np.dtype(dtype)

    def get_row_count(self) -> int:
        """Return how many rows there are."""
        return self.row_count

    def get_column_count(self) -> int:
        """Return how many columns there are."""
        return self.column_count

    def get_kind(self) -> str:
        """Return "homogen" or "csr"."""
        return self.kind

    def has_data(self) -> bool:
        """Say whether there are any elements."""
        return self.row_count * self.column_count > 0

    def array(self) -> np.ndarray[Any, Any]:
        """Return all elements as an array of two dimensions; of host memory without a copy."""
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        found = self.array()
        return np.array(found, dtype) if copy else np.asarray(found, dtype)

    def __repr__(self) -> str:
        return f"<{self.kind} table, {self.row_count} x {self.column_count}, {self.data_type}>"


@ends_at_call
class homogen_table(table):
    """A table in one block of memory.

    Args:
        data: an array of one dimension (a column) or two, an Arrow table, a DataFrame, USM memory
            or a buffer, of numbers.
        row_count, column_count: of memory of one dimension, how it is to be seen.
        layout: of such memory, "row_major" or "column_major".
    """

    kind = "homogen"

    def __init__(self, data: Any, row_count: int | None = None, column_count: int | None = None, *,
                 layout: str = "row_major") -> None:
        if layout not in _LAYOUTS:
            raise invalid_argument(f"homogen_table: layout must be one of {', '.join(_LAYOUTS)}, "
                                   f"got {layout!r}")
        row_count, column_count = (_whole("homogen_table", w, n) for w, n in (
            ("row_count", row_count), ("column_count", column_count)))
        self.usm: Any = None
        data = _array_of("homogen_table", data)
        count = int(np.prod(data.shape))
        shape = _shape(data.shape, row_count, column_count, count)
        _check_type("homogen_table", np.dtype(data.dtype))
        super().__init__(*shape, data.dtype)
        self.layout = layout
        if layout == "column_major" and len(data.shape) != 1:
            raise invalid_argument("homogen_table: layout says how memory of one dimension lies; "
                                   f"these data have {len(data.shape)} dimensions")
        if isinstance(data, sycl.usm_pointer):
            self.usm = data
            self._data: Any = None
        elif layout == "column_major" and data.ndim == 1:
            self._data = data.reshape(shape[::-1]).T
        else:
            self._data = data.reshape(shape)

    def array(self) -> np.ndarray[Any, Any]:
        if self._data is not None:
            return np.asarray(self._data)
        found = np.asarray(self.usm.get_view()).reshape(-1)
        if self.layout == "column_major":
            return found.reshape(self.column_count, self.row_count).T
        return found.reshape(self.row_count, self.column_count)


@ends_at_call
class csr_table(table):
    """A table in compressed rows.

    Args:
        data: a sparse matrix of SciPy's (any format), or the elements that are stored.
        column_indices: the column of each, where ``data`` are elements.
        row_offsets: where each row begins, and where the last one ends.
        column_count: how many columns there are; else as many as the indices need.
        indexing: what the first index is, 0 or 1.
    """

    kind = "csr"

    def __init__(self, data: Any, column_indices: Any = None, row_offsets: Any = None,
                 column_count: int | None = None, indexing: int = 0) -> None:
        if hasattr(data, "tocsr"):
            matrix = data.tocsr()
            column_count = int(matrix.shape[1])
            data, column_indices, row_offsets = matrix.data, matrix.indices, matrix.indptr
            indexing = 0
        if column_indices is None or row_offsets is None:
            raise invalid_argument("csr_table: give a sparse matrix, or elements, their columns "
                                   "and where rows begin")
        if indexing not in (0, 1):
            raise invalid_argument(f"csr_table: indexing must be 0 or 1, got {indexing!r}")
        column_count = _whole("csr_table", "column_count", column_count)
        for what, x in (("column_indices", column_indices), ("row_offsets", row_offsets)):
            if np.asarray(x).dtype.kind not in "iu" and np.size(x):
                raise invalid_argument(f"csr_table: {what} must be whole numbers, got elements of "
                                       f"type {np.asarray(x).dtype}")
        self.values = np.ascontiguousarray(data).reshape(-1)
        _check_type("csr_table", self.values.dtype)
        self.columns = np.ascontiguousarray(column_indices, np.int64).reshape(-1) - indexing
        self.offsets = np.ascontiguousarray(row_offsets, np.int64).reshape(-1) - indexing
        if column_count is None:
            column_count = int(self.columns.max(initial=-1)) + 1
        super().__init__(max(self.offsets.size - 1, 0), column_count, self.values.dtype)
        self._check()

    def _check(self) -> None:
        steps = np.diff(self.offsets)
        if self.offsets.size < 1 or self.offsets[0] != 0 or (steps < 0).any() \
                or self.offsets[-1] != self.values.size:
            raise invalid_argument("csr_table: row_offsets must rise from the first index to that "
                                   f"behind the last of {self.values.size} elements")
        if self.columns.size != self.values.size:
            raise invalid_argument(f"csr_table: there are {self.values.size} elements and "
                                   f"{self.columns.size} columns of them")
        if self.columns.size and (
                self.columns.min() < 0 or self.columns.max() >= self.column_count):
            raise invalid_argument("csr_table: an index of a column is not among the "
                                   f"{self.column_count} columns; is indexing right?")

    def get_non_zero_count(self) -> int:
        """Return how many elements are stored."""
        return int(self.values.size)

    def array(self) -> np.ndarray[Any, Any]:
        found = np.zeros((self.row_count, self.column_count), self.data_type)
        rows = np.repeat(np.arange(self.row_count), np.diff(self.offsets))
        np.add.at(found, (rows, self.columns), self.values)
        return found


def table_of(routine: str, what: str, data: Any) -> table:
    """Return data as a table; refuse what is none."""
    if isinstance(data, table):
        return data
    if hasattr(data, "tocsr"):
        return csr_table(data)
    try:
        return homogen_table(data)
    except invalid_argument as error:
        raise invalid_argument(f"{routine}: {what}: {error.what()}") from None


def _shape(shape: Sequence[int], rows: int | None, columns: int | None,
           count: int) -> tuple[int, int]:
    if rows is None and columns is None:
        if len(shape) not in (1, 2):
            raise invalid_argument(f"homogen_table: the data have {len(shape)} dimensions; a table "
                                   "has rows and columns")
        return (shape[0], 1) if len(shape) == 1 else (shape[0], shape[1])
    rows = count // max(columns or 1, 1) if rows is None else rows
    columns = count // max(rows, 1) if columns is None else columns
    if rows * columns != count:
        raise invalid_argument(f"homogen_table: {count} elements are no {rows} rows of {columns}")
    return rows, columns


def _whole(routine: str, what: str, value: Any) -> int | None:
    """Return a number of rows or columns, or None where nothing is said."""
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 0:
        raise invalid_argument(f"{routine}: {what} must be a whole number of at least 0, got "
                               f"{value!r}")
    return int(value)


def _check_type(routine: str, kind: np.dtype[Any]) -> None:
    if kind.kind not in "biuf":
        raise invalid_argument(f"{routine}: elements of type {kind} are no real numbers; convert "
                               "texts and categories to numbers first")


def _array_of(routine: str, data: Any) -> Any:
    """Return data as an array, or USM memory as it is."""
    if isinstance(data, np.ma.MaskedArray):
        hidden = int(np.sum(np.ma.getmaskarray(data)))
        if hidden:
            raise invalid_argument(f"{routine}: {hidden} elements of the array are masked; remove "
                                   "or fill them")
        return data.data
    if isinstance(data, np.ndarray | sycl.usm_pointer):
        return data
    if isinstance(data, sycl.buffer):
        return np.array(sycl.host_accessor(data, sycl.read_only))
    if hasattr(data, "column_names") and hasattr(data, "column"):  # Arrow
        return _columns(routine, [data.column(k) for k in range(data.num_columns)],
                        data.column_names)
    if hasattr(data, "null_count") and hasattr(data, "to_numpy"):
        return _columns(routine, [data], ["it"])[:, 0]
    if hasattr(data, "to_numpy"):  # pandas
        found = data.to_numpy()
        if found.dtype == object:
            raise invalid_argument(f"{routine}: columns of {type(data).__name__} are no numbers, "
                                   "or lack some; convert them, or fill what is missing")
        return found
    if hasattr(data, "__dlpack__") and data.__dlpack_device__()[0] == 1:
        return np.from_dlpack(data)
    try:
        return np.asarray(data)
    except ValueError as error:
        raise invalid_argument(f"{routine}: {error}") from None


def _columns(routine: str, columns: Sequence[Any], names: Sequence[str]) -> Any:
    found = []
    for name, column in zip(names, columns, strict=True):
        if column.null_count:
            raise invalid_argument(f"{routine}: column '{name}' lacks {column.null_count} values; "
                                   "fill them first")
        if not any(w in str(column.type) for w in ("int", "float", "double", "bool")):
            raise invalid_argument(f"{routine}: column '{name}' has {column.type}, no numbers")
        array = getattr(column, "combine_chunks", lambda c=column: c)()
        found.append(np.asarray(array.to_numpy(zero_copy_only=False)))
    return np.column_stack(found) if found else np.empty((0, 0))


class row_accessor:
    """Rows of a table as arrays: ``row_accessor(t).pull(first, last)``."""

    def __init__(self, data: table) -> None:
        self._data = data

    def pull(self, first: int = 0, last: int | None = None) -> np.ndarray[Any, Any]:
        """Return rows from ``first`` up to ``last``, or to the end."""
        return self._data.array()[first:last]


class column_accessor:
    """Columns of a table as arrays: ``column_accessor(t).pull(3)``."""

    def __init__(self, data: table) -> None:
        self._data = data

    def pull(self, column: int) -> np.ndarray[Any, Any]:
        """Return one column."""
        if not 0 <= column < self._data.column_count:
            raise invalid_argument(f"column_accessor: there is no column {column} among "
                                   f"{self._data.column_count}")
        return self._data.array()[:, column]
