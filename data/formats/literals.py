"""Cells of a CSV that hold Python lists of strings, told right from wrong without building them.

`ast.literal_eval` on every cell costs many times what reading the file does. The cells have three fixed shapes, which
regular expressions check at the speed of C (possessive, so that no input makes them backtrack); only what they refuse
is left to `ast.literal_eval`.
"""

import ast
import re

_STRING = r"""(?:'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")"""
_PAIR = rf"\[{_STRING}, {_STRING}\]"
PAIR = re.compile(_PAIR)
"""`[ROLE, TEXT]`."""
PAIRS = re.compile(rf"\[(?:{_PAIR}(?:, {_PAIR})*+)?\]")
"""`[[ROLE, TEXT], …]`."""
STRINGS = re.compile(rf"\[(?:{_STRING}(?:, {_STRING})*+)?\]")
"""`[ID, …]`."""


def fits(cell: str, shape: re.Pattern[str]) -> bool:
    """Whether a cell holds a Python literal of the shape, in any spacing.

    Args:
        cell: the text of the cell.
        shape: PAIR, PAIRS or STRINGS.
    """
    if shape.fullmatch(cell):
        return True
    value = parse(cell)
    return value is not None and shape.fullmatch(repr(value)) is not None


def parse(cell: str) -> list[object] | None:
    """The list that a cell holds; None when it holds none."""
    try:
        value = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, list) else None
