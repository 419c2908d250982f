"""Reductions and scans of PyTorch's tensors, with the signatures of PyTorch's own functions.

>>> import bifold.torch
>>> bifold.torch.cumsum(torch.ones(3, device="cuda"), 0)
tensor([1., 2., 3.], device='cuda:0')

Results are tensors on the input's device, contiguous, from PyTorch's allocator. Calls on CUDA are
enqueued on the current stream; nothing waits for them. Tensors of the CPU are taken where
use_cpu() says by which device.

Calls are captured into CUDA graphs, once an equal one was made on the device. Their scratch memory
is the graph's then.

A floating sum or product has the same bits each time and on every device, also those of float16
and bfloat16, which are accumulated in float32 and rounded once. So
``torch.use_deterministic_algorithms()`` changes nothing, and ``torch.autocast`` does not either.

The functions are operators of ``torch.ops.bifold``, too, which ``torch.compile``, ``torch.vmap``
and ``torch.library.opcheck`` know. Gradients: of sum(), prod(), cumsum() and cumprod(), also of
these gradients; the third derivatives of cumprod() are wrong behind an element that is 0. Of others
a tensor that requires a gradient is Unsupported.

With PyTorch before 2.4, nothing is registered: functions and gradients work, torch.compile,
torch.vmap and ``torch.ops.bifold`` do not.
"""

from . import _operators as _operators  # Registers them.
from ._cpu import use_cpu
from ._functions import (
    amax,
    amin,
    argmax,
    argmin,
    cummax,
    cummin,
    cumprod,
    cumsum,
    prod,
    sum,
)
from ._results import Extremes

__all__ = [
    "Extremes",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "prod",
    "sum",
    "use_cpu",
]
