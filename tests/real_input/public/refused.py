"""Which public programs are refused, in which grain, with which error. Written by ``running.py expected``."""

REFUSED = {
    "circle_fitting": {"array": "ConversionError", "scalar": "ConversionError"},
    "dlqr": {"array": "MissingBlockError", "scalar": "MissingBlockError"},
    "mahalanobis": {"array": "ConversionError", "scalar": "ConversionError"},
    "particle_in_cell": {"array": "MissingBlockError", "scalar": "MissingBlockError"},
    "power_iteration": {"array": "ConversionError", "scalar": "ConversionError"},
}
