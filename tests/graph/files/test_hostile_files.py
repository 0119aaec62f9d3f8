"""Files that are damaged or made to do harm are refused with the place, or are graphs like any other."""

import json
import random
import struct
import warnings
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.graph.files import container
from adviz.graph.files.graph_columns import columns_of
from adviz.graph.wengert_list import WRITE
from adviz.stage.shows.detail import detail
from tests.graph.graph_parts import contents, structure


def layer(x, W):
    return np.tanh(W @ x)


def example(x, W):
    out = np.zeros(8)
    for k in range(3):
        for j in range(2):
            x = layer(x, W)
            out[k + j] = x[0] + sum(x[n] for n in range(3))
    return np.where(out > 0.2, out, 1.0), np.einsum("i,ij->j", x, W), x[np.array([0, 2])][::-1]


GRAPH = ad.trace(example, np.array([0.3, 0.5, 0.7]), np.arange(9.0).reshape(3, 3) / 9)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return GRAPH.save(tmp_path_factory.mktemp("hostile") / "g.adviz", values=True)


def refused(path, data):
    path = path.with_name("changed.adviz")
    path.write_bytes(data)
    with pytest.raises(ad.GraphFileError) as error:
        ad.load(path)
    assert "changed.adviz" in str(error.value)
    return str(error.value)


def written(path, columns):
    return container.write(path.with_name("rewritten.adviz"), columns)


def with_document(path, values, place, changed):
    """The file of the graph, with or without values, with something else at a place of its document."""
    columns = columns_of(GRAPH, values)
    document = inner = json.loads(columns["document"])
    *way, last = place
    for key in way:
        inner = inner[key]
    inner[last] = changed
    return written(path, {**columns, "document": json.dumps(document).encode()})


@pytest.mark.long
def test_any_octet_that_is_changed(whole):
    data = whole.read_bytes()
    rng = random.Random(0)
    for place in [*range(container.START.size), *rng.sample(range(len(data)), 300)]:
        changed = bytearray(data)
        changed[place] ^= 1 << rng.randrange(8)
        refused(whole, bytes(changed))


def test_a_file_that_ends_early_or_late(whole):
    data = whole.read_bytes()
    for length in [0, 5, 8, 15, 19, 20, 100, len(data) // 2, len(data) - 1]:
        assert "truncated" in refused(whole, data[:length]) or length < 8
    assert "too long" in refused(whole, data + b"more")


def test_another_version_and_other_files(whole):
    data = whole.read_bytes()
    assert "is of version 7; this adviz reads version 1" in refused(whole, data[:8] + struct.pack("<I", 7) + data[12:])
    for other in (b"PK\x03\x04" + b"\0" * 50, b"\x80\x04\x95", b"\x93NUMPY", data.replace(b"\r\n", b"\n", 1)):
        assert "does not begin as one" in refused(whole, other)


def packed(columns):
    """A file of columns that are listed as wished, with true checksums."""
    parts = [part for _, part in columns]
    listed = [{"checksum": zlib.crc32(part), "bytes": len(part)} | given for given, part in columns]
    header = json.dumps({"columns": listed}).encode()
    return container.START.pack(container.MAGIC, 1, len(header), zlib.crc32(header)) + header + b"".join(parts)


@pytest.mark.long
def test_a_bomb_is_not_decompressed(whole):
    """A megabyte that decompresses to a gigabyte is refused by its header, also where the header tells less."""
    bomb = zlib.compress(bytes(100 << 20), 9)
    entry = {"name": "first", "type": "|u1", "coding": "plain"}
    told = packed([(entry | {"length": 100 << 20}, bomb)] * 1)
    path = whole.with_name("changed.adviz")
    path.write_bytes(told)
    with pytest.raises(ad.GraphFileError, match=r"takes 838,860,800 bytes in memory, and 1,000,000 are allowed"):
        ad.load(path, most_bytes=10**6)
    assert "does not have the 100 entries" in refused(whole, packed([(entry | {"length": 100}, bomb)]))
    assert "more than 5 compressed bytes can hold" in refused(whole, packed([(entry | {"length": 1 << 40}, b"12345")]))
    assert "cannot be decompressed" in refused(whole, packed([(entry | {"length": 3}, b"12345")]))


@pytest.mark.parametrize(
    "change",
    [
        {"length": -1},
        {"length": True},
        {"length": 1.5},
        {"type": "|O"},
        {"type": ["<i4"]},
        {"coding": "pickle"},
        {"name": 3},
        {"checksum": None},
        {"more": 1},
    ],
)
def test_columns_of_unknown_kinds(whole, change):
    entry = {"name": "first", "type": "|u1", "coding": "plain", "length": 1}
    assert "columns[0] of its header" in refused(whole, packed([(entry | change, zlib.compress(b"1"))]))


def test_what_a_header_lists(whole):
    entry = {"name": "../../etc/passwd", "type": "|u1", "coding": "plain", "length": 1}, zlib.compress(b"1")
    assert "there is no column 'document'" in refused(whole, packed([entry]))
    assert "lists a column twice" in refused(whole, packed([entry, entry]))
    for header in (b"[]", b"{}", b'{"columns": 3}', b"[" * 100_000, b"\xff", b"1" * 5000):
        start = container.START.pack(container.MAGIC, 1, len(header), zlib.crc32(header))
        refused(whole, start + header)


CHANGES = {
    "a column of another length": (
        "first",
        lambda column: column[:-1],
        "which is not in|has .* entries|no second|no first",
    ),
    "an operand that comes later": ("first", lambda column: column + 1, r"first\[0\] is 0, which is not in"),
    "a constant that there is not": ("second", lambda column: column - 10**6, r"second\[0\] is -1000001"),
    "a Block that there is not": ("block_numbers", lambda column: column + 50, r"block_numbers\[\d+\] is \d+"),
    "an output that there is not": ("outputs", lambda column: column + 50, r"outputs\[0\] is \d+"),
    "a call that there is not": ("calls", lambda column: column + 50, r"calls\[0\] is 50, which is not in 0 to \d+"),
    "an instruction that there is not": ("offsets", lambda column: column + 9999, r"offsets\[\d+\] is"),
    "a call before its caller": ("call_parents", lambda column: column + 1, r"call_parents\[0\] is a call"),
    "evaluations that end before they begin": ("evaluations", lambda column: np.append(column, [3, 1]), "not pairs"),
    "arrays that are not there": ("memory", lambda column: column[:-8], "bytes are there|, and"),
    "floats instead of numbers": ("inputs", lambda column: column.astype(float), "is not of whole numbers"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_columns_that_make_no_graph(whole, name):
    column, change, words = CHANGES[name]
    columns = columns_of(GRAPH, True)
    columns[column] = change(np.frombuffer(columns[column], np.uint8) if column == "memory" else columns[column])
    with pytest.raises(ad.GraphFileError, match=words):
        ad.load(written(whole, columns))


@pytest.mark.parametrize("odd", ["text", None, 1 << 70, ["tuple", [1, 2]], ["dtype", "<f8"], ["complex", 1, 2]])
def test_values_are_numbers(whole, odd):
    with pytest.raises(ad.GraphFileError, match=r"values\[0\] is not made of numbers"):
        ad.load(with_document(whole, True, ["values", 0], odd))


@pytest.mark.parametrize("shape", [[-1], [10**30], [1 << 40, 1 << 40]])
def test_the_shape_of_an_array_that_was_not_saved(whole, shape):
    with pytest.raises(ad.GraphFileError, match="outlines has"):
        ad.load(with_document(whole, False, ["outlines", 1, 1], shape))


def test_a_write_without_its_operands(whole):
    columns = columns_of(GRAPH, False)
    writes = [k for k, block in enumerate(GRAPH.block_table) if block.name == WRITE]
    lonely = int(np.flatnonzero(columns["second"] == -1)[0])
    columns["block_numbers"] = np.where(np.arange(len(GRAPH)) == lonely, writes[0], columns["block_numbers"])
    with pytest.raises(ad.GraphFileError, match=rf"node {lonely}, of Block {WRITE}, has \d of 3 operands"):
        ad.load(written(whole, columns))


def test_an_array_stays_inside_of_its_memory(whole):
    values = json.loads(columns_of(GRAPH, True)["document"])["values"]
    place = next(k for k, each in enumerate(values) if each[0] == "array")
    for changed in ([1 << 20], [3, 1 << 50], [-3]):
        with pytest.raises(ad.GraphFileError, match=r"values\[\d+\] is not a value"):
            ad.load(with_document(whole, True, ["values", place, 2], changed))


# ---- whatever is changed ----

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(
        [10**30, -1, 1 << 31, 1 << 62, 0.5, float("nan"), "", "x", "array", [], ["array"], {}, [[]], ["tuple", [1]]]
    ),
)


def places(document, path=()):
    """The paths to all values in a JSON document."""
    yield path
    pairs = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in pairs:
        yield from places(value, (*path, key))


DOCUMENTS = {values: json.loads(columns_of(GRAPH, values)["document"]) for values in (True, False)}
PLACES = [(values, path) for values, document in DOCUMENTS.items() for path in places(document) if path]


def loaded_or_refused(path):
    """A file is refused, or makes a graph that can be looked at, asked and compared."""
    try:
        graph = ad.load(path)
    except ad.GraphFileError:
        return
    with warnings.catch_warnings(action="ignore"):
        structure(graph)
        contents(graph)
        assert graph.by("line")["nodes"].sum() == len(graph)
        assert f"{graph.bytes:,} bytes" in graph.summary()
        assert str(ad.compare_graphs(graph, GRAPH))
        for node in range(len(graph)):
            json.dumps(detail(graph, node), allow_nan=False)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, len(PLACES) - 1), ODD)
def test_any_value_of_the_document(whole, number, odd):
    values, place = PLACES[number]
    loaded_or_refused(with_document(whole, values, place, odd))


@pytest.mark.long
@settings(max_examples=400, deadline=None)
@given(st.data())
def test_any_entry_of_any_column(whole, data):
    columns = columns_of(GRAPH, data.draw(st.booleans()))
    name = data.draw(st.sampled_from(sorted(columns.keys() - {"document", "memory"})))
    column = np.array(columns[name])
    if len(column):
        place = data.draw(st.integers(0, len(column) - 1))
        numbers = st.one_of(st.integers(-5, 100), st.integers(-(2**31), 2**31 - 1))
        column[place] = data.draw(numbers) % 256 if column.dtype == np.uint8 else data.draw(numbers)
    columns[name] = column
    loaded_or_refused(written(whole, columns))
