"""How the loops are compiled, and what numba itself lacks.

numba's cache does not see changes in other files: what a loop calls stands in the file of the loop, but for `prefetch`.
"""

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a function on first use and keeps the machine code, unless there is no folder to keep it in."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder it may write to
        return numba.njit(nogil=True)(function)


def _prefetch(_typing: Any, array: Any, _index: Any) -> tuple[Any, Callable[..., Any]]:
    """Asks the processor to fetch an element of an array into its cache; goes on at once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, signature.args[0], view, [arguments[1]], wraparound=False)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        to_be_written, into_all_caches, data = (ir.Constant(number, value) for value in (1, 3, 1))
        builder.call(function, [builder.bitcast(place, byte), to_be_written, into_all_caches, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


prefetch: Any = intrinsic(_prefetch)
"""`prefetch(array, index)` asks the processor to fetch an element of an array into its cache, and goes on at once."""
