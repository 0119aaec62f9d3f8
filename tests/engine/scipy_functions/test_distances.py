"""``scipy.spatial.distance`` and ``scipy.interpolate`` where they are not smooth, or not defined."""

import pytest
from scipy.interpolate import interp1d
from scipy.spatial.distance import cdist, euclidean

import adviz as ad

from ..checks import GRAINS
from ..scipys import check_first_derivatives
from .test_catalogue import KNOTS, drawn

U = drawn(3, 4)


@GRAINS
def test_the_derivative_of_a_distance_that_is_zero_is_the_mean_of_its_one_sided_ones(grain):
    check_first_derivatives(lambda u: euclidean(u, U[0]), (U[0],), grain)
    check_first_derivatives(lambda x: cdist(x, x), (U,), grain)


def test_what_is_beyond_the_knots_is_an_error_as_in_scipy():
    with pytest.raises(ValueError, match="below the interpolation range"):
        ad.trace(interp1d(KNOTS, drawn(5)), drawn(5))
