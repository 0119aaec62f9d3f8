"""JAX and adviz agree on the Jacobians of NumPy's functions, where both have the function, to the last digits."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adviz as ad

from .. import catalogue
from ..engine.derivatives import assert_close

ANOTHER_ANSWER = {
    "np.unique(x)": "there the entries are not followed",
    "np.unique(x[0], return_counts=True)[0]": "there the entries are not followed",
    'np.quantile(x, 0.3, method="nearest")': "there the entry is not followed",
    "np.linalg.eigvalsh(x)": "there half of each triangle is read",
    "np.divmod(x, x[0])[1]": "there the quotient is not followed",
    "np.linalg.lstsq(x, x[0])[1]": "there the residuals of a square system are not left out",
}
CALLS = {str(call): call for call in catalogue.CALLS if str(call) not in ANOTHER_ANSWER}


@pytest.mark.slow
@settings(max_examples=40)
@given(st.sampled_from(sorted(CALLS)))
def test_jacobians_agree(text):
    """Each run draws some of the calls: JAX compiles every one anew."""
    x = CALLS[text].x
    theirs, ours = (eval(f"lambda x: 1.0 * ({text})", {"np": module}) for module in (jnp, np))
    with warnings.catch_warnings(action="ignore"), jax.enable_x64(True):
        try:
            expected = jax.jacobian(theirs)(jnp.array(x))
        except Exception:  # what JAX has not, or takes other arguments for
            assume(False)
        found = ad.jacobian(lambda x: ours(x) + 0 * x.ravel()[0])(x)
    assert_close(found, expected, 1e-12, text)
