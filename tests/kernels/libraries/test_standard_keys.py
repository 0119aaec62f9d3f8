"""Keys in the words of the standard take what they took."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adviz.engine.rules.gathering import SLOT
from adviz.kernels.libraries.standard_printing import plain_form, tuple_key, whole_key, within

ENDS = st.none() | st.integers(-9, 9)


@given(st.integers(0, 5), ENDS, ENDS, st.sampled_from([None, 1, 2, -1, -3]), st.booleans())
def test_slices_end_within_the_array(count, start, stop, step, is_second):
    part, x = slice(start, stop, step), np.arange(3.0 * count).reshape((3, count) if is_second else (count, 3))
    form = (..., part) if is_second else (part,)
    found = within(form, x.shape)
    np.testing.assert_array_equal(x[found], x[form])
    assert all(end is None or -count <= end <= count for end in (found[-1].start, found[-1].stop))


def test_keys_name_all_axes():
    assert [whole_key(key, 3) for key in (":, 0, None", "..., 1", "0, 1, 2")] == [
        ":, 0, None, ...",
        "..., 1",
        "0, 1, 2",
    ]


def test_keys_are_tuples_of_numbers_of_python():
    form = plain_form((slice(np.int64(1), None), np.int64(2), None, Ellipsis, SLOT))
    assert tuple_key(form, ["i"]) == "(slice(1, None, None), 2, None, ..., i)"
    assert tuple_key(plain_form(3)) == "(3,)"
