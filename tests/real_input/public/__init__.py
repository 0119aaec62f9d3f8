"""Functions of public NumPy programs: their idioms re-typed, each with the name of its repository and function."""

from . import algebra as algebra
from . import filters as filters
from . import learning as learning
from . import physics as physics
from . import robots as robots
from . import signals as signals
from .register import PROGRAMS as PROGRAMS
