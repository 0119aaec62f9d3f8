"""A package, so that its fixtures of scope "package" (the browser, the server) end with its last test."""
