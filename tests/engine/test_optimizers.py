"""Gradient descent and Adam."""

import numpy as np
import pytest

import adviz as ad
from adviz import GD, Adam, Variable

from .derivatives import assert_close


def bowl(params):
    x, y = Variable.multi_variables(*params)
    loss = (x + 5) ** 2 + (y + 3) ** 2
    by_x, by_y = loss.compute_gradients()
    return loss.data, np.concatenate([by_x, by_y], axis=1)


@pytest.fixture(params=["forward", "reverse"], autouse=True)
def _mode(request):
    ad.set_mode(request.param)


def test_gradient_descent_goes_down_the_bowl():
    params, steps = GD(bowl, [10, 4], lr=0.1, tol=1e-13).solve(return_steps=True)
    assert_close(params, [-4.99999967, -2.99999985], 1e-8)
    assert len(steps) == 79
    assert steps[-1] is params


@pytest.mark.slow
def test_adam_goes_down_the_bowl():
    params, steps = Adam(bowl, [10, 4], lr=0.1, tol=1e-13).solve(return_steps=True)
    assert_close(params, [-4.99999905, -3.0], 1e-8)
    assert len(steps) == 709
    assert_close(steps[:2], [[9.9, 3.9], [9.80001799, 3.80004009]], 1e-8)


def test_a_step_at_a_time():
    descent = GD(bowl, [10, 4], lr=0.1)
    assert_close(descent.step(), [7.0, 2.6])
    assert_close(descent.loss, 144 + 5.6**2)
    assert_close(descent.gradient, [24.0, 11.2])


def test_it_ends_after_the_given_number_of_steps():
    _, steps = GD(bowl, [10, 4], lr=0.1, max_iter=3).solve(return_steps=True)
    assert len(steps) == 3


def test_it_ends_when_the_loss_is_no_number_any_more():
    def away(params):
        return np.array(np.nan), -params

    _, steps = GD(away, [1.0]).solve(return_steps=True)
    assert len(steps) == 1


def test_the_users_start_is_not_changed():
    start = np.array([10.0, 4.0])
    GD(bowl, start, lr=0.1, max_iter=3).solve()
    assert_close(start, [10.0, 4.0])


def test_a_gradient_that_does_not_fit_is_refused():
    with pytest.raises(ad.OutputError, match=r"gradient of shape \(3,\).*\(1, 2\)"):
        GD(lambda params: (1.0, np.ones(3)), [1.0, 2.0])
    with pytest.raises(ad.OutputError, match="loss of shape"):
        GD(lambda params: (np.ones(2), np.ones(2)), [1.0, 2.0])


def test_a_function_of_ones_own_by_value_and_grad():
    assert_close(GD(ad.value_and_grad(lambda p: ((p - 2.0) ** 2).sum()), [0.0, 1.0], lr=0.3).solve(), [2, 2], 1e-6)
