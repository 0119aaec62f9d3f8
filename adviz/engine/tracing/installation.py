"""The methods that are set on a class from outside: all of them, and here only. Imported by ``trace.py``.

What an operator does needs everything above the class that has it: Blocks, rules, functions of NumPy. Operators in the
class that look this up when they are called are 10 % slower on numbers (one call more: 1,600 operations took 1.11 ms
instead of 1.02 ms). Methods that need no more than NumPy are in the classes.
"""

from __future__ import annotations

from typing import Any

from ..apply import call_block, item_of
from ..arrays.complex_pairs import Complex
from ..arrays.object_arrays import ObjectArray
from ..arrays.program_arrays import ProgramArray
from ..blocks import Block
from ..variable import DeviceTraced, Traced, Variable
from ..writing import transposes
from . import attributes, operators, protocols
from .array_methods import OF_PROGRAM_ARRAYS

INSTALLED: tuple[tuple[type, dict[str, Any]], ...] = (
    (Block, {"__call__": call_block}),
    (Variable, operators.OPERATORS),
    (Variable, attributes.OF_VARIABLES),
    (Variable, protocols.OF_VARIABLES),
    (Variable, transposes.OF_VARIABLES),
    (Traced, {"__getitem__": item_of}),
    (Traced, protocols.OF_TRACED),
    (DeviceTraced, protocols.ON_DEVICES),
    (ObjectArray, attributes.OF_OBJECT_ARRAYS),
    (ObjectArray, protocols.OF_OBJECT_ARRAYS),
    (ObjectArray, transposes.OF_OBJECT_ARRAYS),
    (ProgramArray, OF_PROGRAM_ARRAYS),
    (Complex, attributes.OF_COMPLEX),
)
"""A class, and what it gets."""

for _kind, _methods in INSTALLED:
    for _name, _method in _methods.items():
        setattr(_kind, _name, _method)
