"""The rules of Blocks: values and local partial derivatives, a record each."""

from . import arithmetic as arithmetic
from . import powers as powers
from . import selection as selection
from . import trigonometry as trigonometry
