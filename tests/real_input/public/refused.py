"""Which public programs are refused, in which grain, with which error. Written by ``running.py expected``."""

REFUSED = {
    "circle_fitting": {"array": "ConversionError", "scalar": "ConversionError"},
    "conjugate_gradient": {"scalar": "MissingBlockError"},
    "dlqr": {"array": "MissingBlockError", "scalar": "MissingBlockError"},
    "icp_matching": {"scalar": "MissingBlockError"},
    "mahalanobis": {"array": "ConversionError", "scalar": "ConversionError"},
    "particle_in_cell": {"array": "MissingBlockError", "scalar": "MissingBlockError"},
    "pca": {"scalar": "MissingBlockError"},
    "pca_by_eigh": {"scalar": "MissingBlockError"},
    "power_iteration": {"array": "ConversionError", "scalar": "ConversionError"},
    "ukf_estimation": {"scalar": "MissingBlockError"},
}
