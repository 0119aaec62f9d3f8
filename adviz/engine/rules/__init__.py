"""The rules of Blocks: values and local partial derivatives."""
