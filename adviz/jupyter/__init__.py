"""The widgets. The only room that knows Jupyter."""
