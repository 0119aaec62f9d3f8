"""The derivative of a traced function as operations on arrays, by the rules of the engine."""
