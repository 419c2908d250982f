"""What calls begin with: initial values, and what is accumulated in."""

from __future__ import annotations

from typing import Any

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


def element_of(init: Any, dtype: np.dtype) -> np.ndarray | None:
    """An initial value in memory; None where there is none, or one for each line."""
    none = init is None or isinstance(init, Beside)
    return None if none else types.value_of(init, dtype, "init")


def address_of(element: np.ndarray | None) -> int | None:
    """Where an initial value is, for the library."""
    return None if element is None else element.ctypes.data
