"""The classic interface: Variables that are defined by hand, short names of functions, and optimizers."""
