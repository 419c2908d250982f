"""Gradients, of operations that have gradients themselves."""

from __future__ import annotations

from typing import Any

import torch

from . import _functions
from ._results import axes_of, axis_of

Tensor = torch.Tensor


def keep_input(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    """Keeps the input, and arguments as they are."""
    ctx.save_for_backward(inputs[0])
    ctx.arguments = inputs[1:]


def keep_shape(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    """Keeps shape and type of the input, and arguments as they are."""
    ctx.shape, ctx.kind = inputs[0].shape, inputs[0].dtype
    ctx.arguments = inputs[1:]


def _spread(grad: Tensor, shape: Any, axes: tuple[int, ...], keepdim: bool) -> Tensor:
    """A result's gradient, for each of the elements that were reduced."""
    if not keepdim:
        for axis in axes:
            grad = grad.unsqueeze(axis)
    return grad.expand(shape)


def _back(grad: Tensor, kind: torch.dtype) -> Tensor:
    """A gradient of elements of that type. Real ones that became complex have its real part."""
    return (grad.real if grad.is_complex() and not kind.is_complex else grad).to(kind)


def _conjugated(x: Tensor, kind: torch.dtype) -> Tensor:
    """Factors of gradients, as PyTorch has them: derivatives of complex numbers are conjugated."""
    return x.to(kind).conj().resolve_conj()


def of_sum(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    """Of sum()."""
    dim, keepdim, _ = ctx.arguments
    axes = axes_of(dim, len(ctx.shape))
    return _back(_spread(grad, ctx.shape, axes, keepdim), ctx.kind), None, None, None


def of_cumsum(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    """Of cumsum()."""
    dim, _, reverse = ctx.arguments
    scanned = _functions.cumsum(grad, dim, reverse=not reverse)
    return _back(scanned, ctx.kind), None, None, None


def _of_the_others(x: Tensor) -> Tensor:
    """Along the last dimension, the product of all elements but each one."""
    ones = torch.ones_like(x.narrow(-1, 0, 1))
    count = x.shape[-1]
    before = torch.cat((ones, x.narrow(-1, 0, count - 1)), -1)
    behind = torch.cat((x.narrow(-1, 1, count - 1), ones), -1)
    return _functions.cumprod(before, -1) * _functions.cumprod(behind, -1, reverse=True)


def of_prod(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    """Of prod()."""
    (given,) = ctx.saved_tensors
    dim, keepdim, _ = ctx.arguments
    axes = axes_of(dim, given.dim())
    x = _conjugated(given, grad.dtype)
    spread = _spread(grad, x.shape, axes, keepdim)
    if x.numel() == 0 or not axes:
        return _back(spread, given.dtype), None, None, None
    if len(axes) > 1:
        others = _of_the_others(x.reshape(-1)).view(x.shape)
    else:
        others = _of_the_others(x.movedim(axes[0], -1)).movedim(-1, axes[0])
    return _back(spread * others, given.dtype), None, None, None


def of_cumprod(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    """Of cumprod()."""
    (given,) = ctx.saved_tensors
    dim, _, reverse = ctx.arguments
    x = _conjugated(given, grad.dtype)
    if x.numel() == 0 or x.dim() == 0:
        return _back(grad, given.dtype), None, None, None
    dim = axis_of(dim, x.dim())
    wanted = torch.is_grad_enabled() and (given.requires_grad or grad.requires_grad)
    result = _through_products(x, grad, dim, reverse, wanted)
    return _back(result, given.dtype), None, None, None


def _through_products(x: Tensor, grad: Tensor, dim: int, reverse: bool, twice: bool) -> Tensor:
    """The gradient of a scan's products: of x[k], the sum of all grad[i] * product[i] / x[k].

    Products from the first 0 on are 0, so before it that is what the quotient is. At this 0 itself
    they are those with 1 in its place. Behind it there is another factor of 0.
    """
    zero = x == 0
    zeros = _functions.cumsum(zero, dim, reverse=reverse)
    first = zero & (zeros == 1)
    filled = x.masked_fill(first, 1)
    products = _functions.cumprod(x, dim, reverse=reverse)
    others = _functions.cumprod(filled, dim, reverse=reverse)
    before = _functions.cumsum(grad * products, dim, reverse=not reverse) / x.masked_fill(zero, 1)
    at = _functions.cumsum(grad * others, dim, reverse=not reverse)
    behind = torch.zeros_like(x)
    if twice:
        # The factor of 0 has a derivative.
        with torch.no_grad():
            rest = _through_products(filled, grad, dim, reverse, False)
        behind = torch.where(first, x, behind).sum(dim, keepdim=True) * rest
    return torch.where(zeros == 0, before, torch.where(first, at, behind))
