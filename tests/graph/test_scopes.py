"""Scopes: which call, which loop and which iteration each node was made in, read from the bytecode afterwards."""

import numpy as np
import pytest

import adviz as ad
from adviz.graph.scopes import KINDS

X = np.array([0.3, 0.5, 0.7, 1.1])


def outline(graph, scope=0):
    """The tree as text: a label, the number of nodes in it, and what is inside."""
    tree = graph.scopes
    label = f"{graph.scope_label(scope)}: {tree.nodes[scope]}"
    inside = [outline(graph, child) for child in tree.children(scope)]
    return f"{label} ({', '.join(inside)})" if inside else label


def counts(graph):
    """How many scopes there are of each kind."""
    found = {}
    for scope in range(len(graph.scopes)):
        kind = graph.scopes[scope].kind
        found[kind] = found.get(kind, 0) + 1
    return found


def paths(graph):
    """The scope of every node that is no input and no output, without the outermost."""
    marks = {*graph.inputs, *graph.outputs}
    return [
        graph.scope_path(graph.scopes.of_node[node]).partition(" › ")[2]
        for node in range(len(graph))
        if node not in marks
    ]


def helper(t):
    return np.exp(-t) + 1


# ---- calls ----


def test_straight_line_code_has_one_scope():
    graph = ad.trace(lambda x: np.sin(x) * x + 1, 2.0)
    assert outline(graph) == "<lambda>: 5"
    assert graph[1].scope == "<lambda>"


def test_a_helper_called_twice_has_a_scope_per_call():
    def f(x):
        return helper(x) * helper(x + 1)

    graph = ad.trace(f, 2.0)
    assert outline(graph) == "f: 10 (helper: 3, helper: 3)"
    assert graph[2].scope == "f › helper"
    assert [graph.scopes[scope].ordinal for scope in (1, 2)] == [1, 2]


def test_calls_nest_as_deeply_as_they_are_called():
    def outer(x):
        return middle(x) * 2

    def middle(x):
        return inner(x)  # does nothing itself

    def inner(x):
        return x + 1

    assert outline(ad.trace(outer, 2.0)) == "outer: 4 (middle: 1 (inner: 1))"


def test_recursion():
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    graph = ad.trace(lambda x: power(x, 4), 2.0)
    assert graph[1].scope == "<lambda> › power › power › power"
    assert graph[3].scope == "<lambda> › power"


def test_lambdas_methods_and_nested_functions():
    class Model:
        def loss(self, x):
            square = lambda t: t * t  # noqa: E731
            return square(x) + self.penalty(x)

        def penalty(self, x):
            def inner(t):
                return t * 3

            return inner(x)

    graph = ad.trace(Model().loss, 2.0)
    assert outline(graph) == "loss: 5 (<lambda>: 1, penalty: 1 (inner: 1))"


def test_functions_of_numpy_are_no_scopes_but_functions_given_to_them_are():
    graph = ad.trace(lambda x: np.apply_along_axis(lambda row: row.sum() * 2, 0, x), X.reshape(2, 2), grain="scalar")
    assert "apply_along_axis" not in outline(graph)
    assert outline(graph).count("<lambda>") >= 3


# ---- loops ----


def test_a_for_loop_has_an_iteration_per_turn():
    def f(x):
        for k in range(3):
            x = np.sin(x) * k
        return x + 1

    graph = ad.trace(f, 2.0)
    assert outline(graph) == "f: 9 (for k in range(3): 6 (iteration 1: 2, iteration 2: 2, iteration 3: 2))"
    assert graph[4].scope == "f › for k in range(3) › iteration 2"


def test_a_while_loop():
    def f(x):
        while x < 10:
            x = x * x + 1
        return x

    assert outline(ad.trace(f, 2.0)) == "f: 6 (while x < 10: 4 (iteration 1: 2, iteration 2: 2))"


def test_a_while_loop_whose_condition_computes():
    def f(x):
        while abs(x * x - 2) > 1e-3:
            x = x - (x * x - 2) / (2 * x)
        return x * 3

    graph = ad.trace(f, 1.0)
    tree = graph.scopes
    loop = tree.children(0)[-1]
    iterations = tree.children(loop)
    assert len(iterations) >= 3
    assert sum(tree.nodes[iteration] for iteration in iterations) + tree.nodes[0] - tree.nodes[loop] == len(graph)


def test_repeated_iterations_have_equal_signatures():
    def f(x):
        for k in range(100):
            x = np.sin(x) * x if k != 50 else x * 2 + 1 - x
        return x

    tree = ad.trace(f, 1.0).scopes
    signatures = [tree[scope].signature for scope in tree.children(1)]
    assert len(signatures) == 100
    assert len(set(signatures)) == 2
    assert signatures[50] != signatures[49] == signatures[51]
    assert [run.repeat for run in tree.runs(1)] == [50, 1, 49]


def test_nested_loops():
    def f(x):
        s = 0.0
        for i in range(2):
            t = x[i] * 2
            for j in range(3):
                t = t + x[i] * x[j]
            s = s + helper(t)
        return s

    graph = ad.trace(f, X, grain="scalar")
    inner = "for j in range(3): 6 (iteration 1: 2, iteration 2: 2, iteration 3: 2)"
    assert outline(graph).endswith(
        f"for i in range(2): 22 (iteration 1: 11 ({inner}, helper: 3), iteration 2: 11 ({inner}, helper: 3)))"
    )


def test_loops_one_after_the_other():
    def f(x):
        for _ in range(2):
            x = x * 2 + 1
        for _ in range(2):
            x = x / 3 - 1
        return x

    assert outline(ad.trace(f, 1.0)).count("for _ in range(2): 4") == 2


def test_break_continue_and_else():
    def f(x):
        for k in range(10):
            if k == 1:
                continue
            x = x * 2 + k
            if k == 3:
                break
        else:
            x = x - 100
        for _ in range(1):
            x = x + 1 - x
        else:
            x = x * 5
        return x

    graph = ad.trace(f, 1.0)
    assert "for k in range(10): 6 (iteration 1: 2, iteration 2: 2, iteration 3: 2)" in outline(graph)


@pytest.mark.parametrize("pattern", ["aabbabba", "ab" * 4, "aaaa", "b", "bbbaaa"])
def test_branches_in_a_loop(pattern):
    def f(x):
        for letter in pattern:
            x = x * 2 + 1 if letter == "a" else np.sin(x) - 3
        return x

    graph = ad.trace(f, 1.0)
    (loop,) = graph.scopes.children(0)
    assert [graph.scopes.nodes[k] for k in graph.scopes.children(loop)] == [2] * len(pattern)


@pytest.mark.parametrize("pattern", ["aabbabba", "ab" * 4, "aaaa", "b", "bbbaaa"])
def test_branches_of_one_operation_in_a_loop(pattern):
    def f(x):
        for letter in pattern:
            x = x * 2 if letter == "a" else np.sin(x)
        return x

    graph = ad.trace(f, 1.0)
    (loop,) = graph.scopes.children(0)
    assert [graph.scopes.nodes[k] for k in graph.scopes.children(loop)] == [1] * len(pattern)


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_loops_of_one_operation(grain):
    def operator(x):
        for _ in range(5):
            x = x * 0.5
        return x

    def ufunc(x):
        for _ in range(5):
            x = np.sin(x)
        return x

    def function(x):
        for _ in range(5):
            x = x + np.linalg.norm(x)
        return x

    for f in (operator, ufunc, function):
        graph = ad.trace(f, X, grain=grain)
        loop = next(k for k in graph.scopes.children(0) if graph.scopes[k].kind == "loop")
        assert len(graph.scopes.children(loop)) == 5
        assert len({graph.scopes.signatures[k] for k in graph.scopes.children(loop)}) <= 2


def test_a_sum_of_many_is_one_expression_also_in_a_loop():
    def f(x):
        for _ in range(3):
            x = x * sum([x] * 6)
        return x

    graph = ad.trace(f, 1.0)
    assert outline(graph) == (
        "f: 23 (for _ in range(3): 21 (iteration 1: 7 (sum([x] * 6): 6), iteration 2: 7 (sum([x] * 6): 6), "
        "iteration 3: 7 (sum([x] * 6): 6)))"
    )


def test_expressions_carried_out_number_by_number():
    def f(x):
        y = np.sin(x)
        return y * y

    graph = ad.trace(f, X, grain="scalar")
    assert outline(graph) == "f: 16 (x: 4, np.sin(x): 4, y * y: 4, result: 4)"
    assert graph[5].scope == "f › np.sin(x)"


def test_expressions_in_a_loop_are_in_their_iteration():
    def f(x):
        for _ in range(2):
            x = np.sin(x)
        return x

    graph = ad.trace(f, X, grain="scalar")
    inside = "iteration 1: 4 (np.sin(x): 4), iteration 2: 4 (np.sin(x): 4)"
    assert outline(graph) == f"f: 16 (x: 4, for _ in range(2): 8 ({inside}), result: 4)"


def test_comprehensions_and_generators():
    def f(x):
        listed = [x * k + 1 for k in range(3)]
        summed = sum(x * x - k for k in range(2))
        nested = [[x / (i + j + 1) - 1 for j in range(2)] for i in range(2)]
        keyed = {k: x + k * 2.0 for k in range(2)}
        return sum(listed) + summed + nested[1][1] + keyed[1]

    graph = ad.trace(f, 2.0)
    text = outline(graph)
    assert "for k in range(3): 6 (iteration 1: 2, iteration 2: 2, iteration 3: 2)" in text
    assert "for i in range(2)" in text
    assert text.count("(for j in range(2): 4 (iteration 1: 2, iteration 2: 2))") == 2
    assert "listcomp" not in text


def test_a_generator_function_is_a_call_that_goes_on():
    def terms(x):
        term = x
        while True:
            yield term
            term = term * x / 2

    def f(x):
        total = 0.0
        for _, term in zip(range(3), terms(x), strict=False):
            total = total + term * 3
        return total

    text = outline(ad.trace(f, 0.5))
    assert "terms: 4 (while True: 4 (iteration 1: 2, iteration 2: 2))" in text
    assert "iteration 3: 2" in text


def test_try_and_with_in_loops():
    def f(x):
        for k in range(4):
            try:
                if k % 2:
                    raise ValueError
                x = x * 2 + 1
            except ValueError:
                x = x - 1 + k
            finally:
                x = x / 2
            with np.errstate(all="ignore"):
                x = np.log(abs(x) + 2)
        return x

    graph = ad.trace(f, 1.0)
    (loop,) = graph.scopes.children(0)
    assert len(graph.scopes.children(loop)) == 4


def test_a_loop_in_a_helper_that_a_loop_calls():
    def inner(x):
        for _ in range(2):
            x = x * 2 + 1
        return x

    def f(x):
        for _ in range(3):
            x = inner(x)
        return x

    graph = ad.trace(f, 1.0)
    once = "inner: 4 (for _ in range(2): 4 (iteration 1: 2, iteration 2: 2))"
    assert (
        outline(graph)
        == f"f: 14 (for _ in range(3): 12 (iteration 1: 4 ({once}), iteration 2: 4 ({once}), iteration 3: 4 ({once})))"
    )


def test_nested_loops_whose_outer_body_does_nothing_itself():
    """What is known to be missing: nothing that is written down tells the outer iterations apart."""

    def f(x):
        s = 0.0
        for i in range(2):
            for j in range(3):
                s = s + x[i] * x[j]
        return s

    graph = ad.trace(f, X, grain="scalar")
    assert counts(graph)["iteration"] == 1 + 6


# ---- crowds ----


def test_thousands_of_straight_lines_are_split_into_parts():
    lines = "\n".join("    x = x * 0.5 + 1" for _ in range(3000))
    namespace = {}
    exec(f"def f(x):\n{lines}\n    return x", namespace)
    graph = ad.trace(namespace["f"], 1.0)
    tree = graph.scopes
    assert tree.nodes[0] == len(graph) == 6002
    for scope in range(len(tree)):
        own = sum(1 for inner in tree.of_node if inner == scope) if scope < 3 else 0
        assert own + len(tree.children(scope)) <= 150


def shown(tree, scope):
    """How many items a scope has to show: its own nodes, and runs of scopes that were made alike."""
    return sum(inner == scope for inner in tree.of_node) + len(tree.runs(scope))


def test_parts_have_parts_where_there_are_very_many_nodes():
    graph = ad.trace(lambda x: sum([x] * 30_000), 1.0)
    tree = graph.scopes
    assert max(len(tree.path(scope)) for scope in range(len(tree))) > 3
    assert all(len(tree.runs(scope)) <= 150 for scope in range(len(tree)))
    assert max(shown(tree, scope) for scope in range(0, len(tree), 40)) <= 150
    assert graph.scope_label(tree.of_node[20_000]).startswith("part ")
    assert tree.nodes[0] == len(graph) == 30_002


def test_iterations_that_all_differ_are_split_into_parts_and_keep_their_numbers():
    def f(x):
        for k in range(400):
            x = x * 0.5 + 1 if k % 2 else np.sin(x)
        return x

    graph = ad.trace(f, 1.0)
    tree = graph.scopes
    (loop,) = tree.children(0)
    assert tree.iterations(loop) == 400
    assert all(shown(tree, scope) <= 150 for scope in range(len(tree)))
    labels = [graph.scope_label(scope) for scope in range(len(tree)) if tree[scope].kind == "iteration"]
    assert labels == [f"iteration {k}" for k in range(1, 401)]
    assert graph[1].scope.startswith("f › for k in range(400) › part 1 › iteration 1")


def test_the_tree_is_a_tree():
    """Preorder: a scope's subtree is a range, parents come first, every node is in a scope, counts add up."""

    def f(x):
        for k in range(7):
            x = helper(x) + sum(x * i for i in range(k))
        return x

    graph = ad.trace(f, 1.0)
    tree = graph.scopes
    assert tree.parents[0] == -1
    assert tree.ends[0] == len(tree)
    inside = [0] * len(tree)
    for scope in tree.of_node:
        for outer in tree.path(scope):
            inside[outer] += 1
    assert inside == list(tree.nodes)
    for scope in range(1, len(tree)):
        assert tree.parents[scope] < scope < tree.ends[scope] <= tree.ends[tree.parents[scope]]
        assert KINDS[tree.kinds[scope]] == tree[scope].kind
        assert scope in tree.children(tree.parents[scope])
        assert tree.path(scope)[-2:] == [tree.parents[scope], scope]
