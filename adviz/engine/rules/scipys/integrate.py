FUNCTIONS: dict = {}
