import numpy as np

from adviz.stage.scene.heat_maps import heat_map


def test_a_map_has_the_entries_and_the_largest_magnitude():
    found = heat_map(np.array([[1.0, -4.0], [0.0, 2.0]]))
    assert found == {"shape": [2, 2], "rows": [0, 1], "columns": [0, 1], "data": [1.0, -4.0, 0.0, 2.0], "scale": 4.0}


def test_of_a_large_array_rows_and_columns_from_the_first_to_the_last_are_shown():
    found = heat_map(np.arange(1.0, 20_001.0).reshape(100, 200), 8, 8)
    assert (len(found["rows"]), found["rows"][-1], len(found["columns"]), found["columns"][-1]) == (8, 99, 8, 199)
    assert (found["data"][0], found["data"][-1], found["scale"]) == (1.0, 20_000.0, 20_000.0)
    assert found["shape"] == [100, 200]


def test_the_scale_is_that_of_the_whole_array_also_of_entries_that_are_not_shown():
    array = np.ones(100)
    array[1] = -50.0
    found = heat_map(array, 8, 8)
    assert found["scale"] == 50.0
    assert set(found["data"]) == {1.0}


def test_an_entry_that_is_not_finite_is_never_left_out():
    array = np.ones((50, 60))
    array[13, 31] = np.inf
    found = heat_map(array, 8, 8)
    assert 13 in found["rows"]
    assert 31 in found["columns"]
    assert found["rows"] == sorted(found["rows"])
    assert (len(found["rows"]), len(found["columns"]), found["data"].count("inf")) == (8, 8, 1)
