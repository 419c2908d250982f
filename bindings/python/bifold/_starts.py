"""What calls begin with: initial values, and what is accumulated in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._base import types
from ._base.operators import Operator, OperatorLike
from ._beside import Beside


def accumulator(dtype: Any, op: OperatorLike, init: Any, input_type: np.dtype) -> np.dtype:
    """The dtype of accumulation, where it is not an output's."""
    if dtype is not None:
        return dtype
    if isinstance(op, Operator):
        return op.dtype
    if isinstance(init, (np.generic, np.ndarray)):
        return init.dtype
    if isinstance(init, Beside):
        return init.operand.dtype
    return input_type


class Accumulation(NamedTuple):
    """What is accumulated in, and what is stored of it.

    Attributes:
        dtype: as the user gives it; None: what goes without saying.
        result_map: the text behind the accumulator, of several outputs one for each; None: it is
            stored as it is.
        scalars: the values of what texts name besides.
    """

    dtype: np.dtype | None = None
    result_map: str | tuple[str | None, ...] | None = None
    scalars: dict[str, Any] | None = None

    def told(self, op: OperatorLike, out: np.dtype) -> np.dtype | None:
        """The dtype that the library is told for an output of a dtype, if any."""
        if self.dtype is not None or self.result_map is None:
            return self.dtype
        return op.dtype if isinstance(op, Operator) else types.accumulated(out)

    def of_init(self, op: OperatorLike, out: np.dtype) -> np.dtype:
        """The dtype of an initial value."""
        told = self.told(op, out)
        return out if self.result_map is None or told is None else told


PLAIN = Accumulation()


def element_of(init: Any, dtype: np.dtype) -> np.ndarray | None:
    """An initial value in memory; None where there is none, or one for each line."""
    none = init is None or isinstance(init, Beside)
    return None if none else types.value_of(init, dtype, "init")


def address_of(element: np.ndarray | None) -> int | None:
    """Where an initial value is, for the library."""
    return None if element is None else element.ctypes.data
