"""Dataclasses are structures of arguments and results, as tuples, lists and dicts are."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import adviz as ad

from .checks import GRAINS


@dataclass
class Layer:
    w: Any
    b: Any


@dataclass(frozen=True, slots=True)
class Model:
    layers: list[Layer]
    scale: Any
    offset: Any = field(init=False, default=3.0)

    def __post_init__(self):
        if not isinstance(self.scale, float):
            raise TypeError("only numbers")


MODEL = Model([Layer(np.array([1.0, 2.0]), 0.5)], 2.0)
X = np.array([0.3, 0.7])


def loss(model, x):
    (layer,) = model.layers
    return model.scale * model.offset * np.sum(layer.w * x) + layer.b**2


def assert_is_gradient(found):
    (layer,) = found.layers
    assert (type(found), type(layer)) == (Model, Layer)
    np.testing.assert_allclose(layer.w, 6 * X)
    np.testing.assert_allclose([layer.b, found.scale, found.offset], [1.0, 3 * 1.7, 2 * 1.7])


@GRAINS
def test_the_gradient_by_a_dataclass_is_one(grain):
    found = ad.grad(loss, grain=grain)(MODEL, X)
    assert_is_gradient(found)
    ad.check_gradient(loss, lambda model, x: found, MODEL, X)
    assert_is_gradient(ad.compile_gradient(loss, MODEL, X, grain=grain)(MODEL, X).gradient[0])


@GRAINS
def test_its_fields_have_the_names_of_the_program(grain):
    names = set(ad.trace(loss, MODEL, X, grain=grain).names.values())
    assert {"model.layers[0].b", "model.scale", "model.offset"} <= names


@GRAINS
def test_a_dataclass_is_a_result_a_tangent_and_a_seed(grain):
    def doubled(layer):
        return Layer(2 * layer.w, layer.b * layer.b)

    layer = MODEL.layers[0]
    assert isinstance(ad.jacobian(doubled, grain=grain)(layer).w, Layer)
    _, tangent = ad.jvp(doubled, (layer,), (Layer(np.ones(2), 1.0),))
    assert (tangent.w.tolist(), tangent.b) == ([2.0, 2.0], 1.0)
    (adjoint,) = ad.vjp(doubled, layer)[1](Layer(np.ones(2), 1.0))
    assert (adjoint.w.tolist(), adjoint.b) == ([2.0, 2.0], 1.0)
    with pytest.raises(ad.InputError, match="expected a Layer of w, b"):
        ad.jvp(doubled, (layer,), ({"w": np.ones(2), "b": 1.0},))


def test_what_does_not_fit_is_said_with_its_name():
    with pytest.raises(ad.InputError, match=r"Argument model\.layers\[0\]\.w is str"):
        ad.grad(loss)(Model([Layer("three", 1.0)], 2.0), X)
    with pytest.raises(ad.InputError, match=r"argument 0 is a Layer of w, b; expected a Model of layers, scale"):
        ad.compile_gradient(loss, MODEL, X)(MODEL.layers[0], X)
