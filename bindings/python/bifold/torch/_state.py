"""What PyTorch is doing, and whether a tensor is memory and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad

Tensor = torch.Tensor
_STRIDED = torch.strided


def _no() -> bool:
    return False


# Earlier versions of PyTorch have nothing of the kind. While it is traced, this is True.
compiling: Callable[[], bool] = getattr(
    getattr(torch, "compiler", None), "is_dynamo_compiling", _no
)
_modes: Callable[[], Any] = getattr(torch._C, "_len_torch_dispatch_stack", _no)
transforms: Callable[[], Any] = getattr(torch._C, "_are_functorch_transforms_active", _no)
_tracing: Callable[[], Any] = torch._C._is_tracing


def plain(x: Any) -> bool:
    """Whether it is a tensor that PyTorch has no say in: asking its dispatcher takes 10 us."""
    return (
        type(x) is Tensor
        and not x.requires_grad
        and not compiling()
        and not _modes()
        and not transforms()
        and not _tracing()
        and forward_ad._current_level < 0
    )


def is_memory(x: torch.Tensor) -> bool:
    """Whether such a tensor is memory of CUDA or of the CPU, as it stands."""
    return (x.is_cuda or x.is_cpu) and x.layout is _STRIDED and not x.is_neg() and not x.is_conj()
