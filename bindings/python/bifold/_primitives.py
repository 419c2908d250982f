"""Primitives of JAX that call the library: what programs, vmap and derivatives know of them."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._base import native
from ._base.operators import BUILTIN

try:
    from . import _jax
except ImportError as absent:
    raise ImportError(
        "this installation of bifold was built without JAX; to build one with it: CMAKE_ARGS="
        "-DBIFOLD_JAX_INCLUDE=$(python3 -c 'import jax; print(jax.ffi.include_dir())') "
        "pip install ./bindings/python"
    ) from absent

_TARGET = "bifold"
_PLATFORMS = {"cpu": ("cpu", _jax.host_handler), "cuda": ("CUDA", _jax.cuda_handler)}

native.bind(_jax)

use_cpu = _jax.use_cpu

# A scan along `axis` of an array, with elements of `dtype`.
scan_p = Primitive("bifold_scan")
# The reduction of `axes` neighbouring axes from `axis` on.
reduce_p = Primitive("bifold_reduce")


def scan(x: Any, op: str, axis: int, reverse: bool, dtype: np.dtype) -> Any:
    """An inclusive scan; the input's dtype promotes to `dtype`."""
    return scan_p.bind(x, op=op, axis=axis, reverse=reverse, dtype=dtype)


def reduce(x: Any, op: str, axis: int, axes: int, dtype: np.dtype) -> Any:
    """A reduction of neighbouring axes; the input's dtype promotes to `dtype`."""
    return reduce_p.bind(x, op=op, axis=axis, axes=axes, dtype=dtype)


_jitted = {
    scan_p: jax.jit(scan, static_argnames=("op", "axis", "reverse", "dtype")),
    reduce_p: jax.jit(reduce, static_argnames=("op", "axis", "axes", "dtype")),
}


def _run(primitive: Primitive, x: Any, **params: Any) -> Any:
    # Without this, a program under disable_jit() would come back here.
    with jax.disable_jit(False):
        return _jitted[primitive](x, **params)


def _scan_type(x: Any, *, dtype: np.dtype, **_: Any) -> Any:
    return x.update(dtype=dtype, weak_type=False)


def _reduce_type(x: Any, *, axis: int, axes: int, dtype: np.dtype, **_: Any) -> Any:
    def rest(of: Any) -> tuple[Any, ...]:
        return (*of[:axis], *of[axis + axes :])

    sharding = x.sharding.update(spec=rest(x.sharding.spec))
    return x.update(shape=rest(x.shape), dtype=dtype, weak_type=False, sharding=sharding)


def _lower_scan(rule: Any, context: Any, x: Any, *, op: str, axis: int, reverse: bool, **_: Any):
    return _lower(rule, context, x, scan=True, op=op, axis=axis, axes=1, reverse=reverse)


def _lower_reduce(rule: Any, context: Any, x: Any, *, op: str, axis: int, axes: int, **_: Any):
    return _lower(rule, context, x, scan=False, op=op, axis=axis, axes=axes, reverse=False)


def _lower(
    rule: Any, context: Any, x: Any, *, scan: bool, op: str, axis: int, axes: int, reverse: bool
) -> Any:
    number, first, count = (np.int64(n) for n in (BUILTIN.index(op), axis, axes))
    return rule(context, x, scan=scan, op=number, axis=first, axes=count, reverse=reverse)


def _batch_scan(arrays: Any, dimensions: Any, *, axis: int, **params: Any) -> Any:
    (x,), (batch,) = arrays, dimensions
    return scan_p.bind(x, axis=axis + (batch <= axis), **params), batch


def _batch_reduce(arrays: Any, dimensions: Any, *, axis: int, axes: int, **params: Any) -> Any:
    (x,), (batch,) = arrays, dimensions
    if axis < batch < axis + axes:
        x, batch = jnp.moveaxis(x, batch, 0), 0
    axis += batch <= axis
    out = reduce_p.bind(x, axis=axis, axes=axes, **params)
    return out, batch if batch < axis else batch - axes


def _scan_of_jax(x: Any, *, op: str, axis: int, reverse: bool, dtype: np.dtype) -> Any:
    of = {"multiplies": jax.lax.cumprod, "maximum": jax.lax.cummax, "minimum": jax.lax.cummin}
    return of[op](x.astype(dtype), axis=axis, reverse=reverse)


def _reduction_of_jax(x: Any, *, op: str, axis: int, axes: int, dtype: np.dtype) -> Any:
    of = {"multiplies": jnp.prod, "maximum": jnp.max, "minimum": jnp.min}
    return of[op](x.astype(dtype), axis=tuple(range(axis, axis + axes)))


def _derive(
    primitive: Primitive, of_jax: Any, primals: Any, tangents: Any, **params: Any
) -> tuple[Any, Any]:
    """A sum is linear. The tangents of other operators are JAX's own."""
    (x,), (dx,) = primals, tangents
    out = primitive.bind(x, **params)
    if type(dx) is ad.Zero:
        return out, ad.Zero.from_primal_value(out)
    if params["op"] == "plus":
        return out, primitive.bind(dx, **params)
    return out, jax.jvp(functools.partial(of_jax, **params), (x,), (dx,))[1]


def _transpose_scan(ct: Any, x: Any, *, axis: int, reverse: bool, **_: Any) -> list[Any]:
    return [scan(ct, "plus", axis, not reverse, ct.dtype).astype(x.aval.dtype)]


def _transpose_sum(ct: Any, x: Any, *, axis: int, axes: int, **_: Any) -> list[Any]:
    of = x.aval
    kept = [d for d in range(of.ndim) if not axis <= d < axis + axes]
    ct = jax.lax.broadcast_in_dim(ct, of.shape, kept, out_sharding=of.sharding)
    return [ct.astype(of.dtype)]


def _define() -> None:
    for platform, (name, handler) in _PLATFORMS.items():
        jax.ffi.register_ffi_target(_TARGET, handler(), platform=name)
        rule = jax.ffi.ffi_lowering(_TARGET)
        for primitive, lower in ((scan_p, _lower_scan), (reduce_p, _lower_reduce)):
            mlir.register_lowering(primitive, functools.partial(lower, rule), platform=platform)
    for primitive, of_jax in ((scan_p, _scan_of_jax), (reduce_p, _reduction_of_jax)):
        primitive.def_impl(functools.partial(_run, primitive))
        ad.primitive_jvps[primitive] = functools.partial(_derive, primitive, of_jax)
    scan_p.def_abstract_eval(_scan_type)
    reduce_p.def_abstract_eval(_reduce_type)
    batching.primitive_batchers[scan_p] = _batch_scan
    batching.primitive_batchers[reduce_p] = _batch_reduce
    ad.primitive_transposes[scan_p] = _transpose_scan
    ad.primitive_transposes[reduce_p] = _transpose_sum


_define()
