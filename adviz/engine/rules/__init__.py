"""The rules of Blocks: values and local partial derivatives."""

from . import operation_counts as operation_counts
