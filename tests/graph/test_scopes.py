"""Scopes: which call, which loop and which iteration each node was made in, read from the bytecode afterwards."""

import gc
import weakref

import numpy as np

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


def helper(t):
    return np.exp(-t) + 1


# ---- calls ----


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


# ---- loops that do nothing but run other loops ----


def turns(graph):
    """For every node that is no input and no output, the iteration of each loop around it, outermost first."""
    tree, marks = graph.scopes, {*graph.inputs, *graph.outputs}
    around = [tree.path(tree.of_node[node]) for node in range(len(graph)) if node not in marks]
    return [tuple(tree.ordinals[k] for k in path if KINDS[tree.kinds[k]] == "iteration") for path in around]


def two(x, *, first=(0, 1, 2), second=(0, 1)):
    for i in first:
        for j in second:
            x = x * 0.5 + (i + j)
    return x


def test_targets_of_all_kinds():
    def pairs(x):
        for i, (_a, b) in enumerate(zip("ab", (3.0, 3.0), strict=True)):
            for _j, _ in zip(range(2), range(2), strict=True):
                x = x * b + i
        return x

    def captured(x):
        for i in range(2):
            for j in range(2):
                x = (lambda t: t * i + j)(x)
        return x

    class Model:
        def run(self, x):
            for self.row in range(1):
                for i in range(2):
                    for j in range(2):
                        x = x * i + j
            return x

    wanted = [(i, j) for i in (1, 2) for j in (1, 2) for _ in "*+"]
    assert turns(ad.trace(pairs, 2.0)) == turns(ad.trace(captured, 2.0)) == wanted
    assert turns(ad.trace(Model().run, 2.0)) == [(1, *turn) for turn in wanted]


def test_nested_loops_in_generators_and_comprehensions():
    def terms(x):
        for i in range(2):
            for j in range(2):
                yield x * (i + j)

    def generator(x):
        return sum(terms(x))

    def comprehension(x):
        return [x * (i + j) for i in range(2) for j in range(2)][-1]

    wanted = [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert [turn for turn in turns(ad.trace(generator, 2.0)) if turn] == wanted
    assert turns(ad.trace(comprehension, 2.0)) == wanted


def test_the_same_object_again():
    """The inner loop may get the same object again; if the outer one does, another variable has to show it."""

    def shown(x):
        for i in (7, 7):
            k = [i]
            for _j in range(2):
                x = x * k[0]
        return x

    graph = ad.trace(two, 2.0, first=(0, 1), second=(5, 5))
    assert turns(graph) == [(i, j) for i in (1, 2) for j in (1, 2) for _ in "*+"]
    assert turns(ad.trace(shown, 2.0)) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    graph = ad.trace(two, 2.0, first=(7, 7), second=(0, 1))
    assert counts(graph)["iteration"] == 1 + 4  # what is known to be missing


def test_variables_that_another_function_assigns_to_show_nothing():
    def f(x):
        for _ in range(1):
            n = 0

            def more():
                nonlocal n
                n += 1

            for _ in range(3):
                more()
                x = x * n
        return x

    assert turns(ad.trace(f, 2.0)) == [(1, 1), (1, 2), (1, 3)]


def test_what_loops_ran_over_is_let_go():
    class Number(float):
        pass

    numbers = [Number(3), Number(4)]
    left = [weakref.ref(number) for number in numbers]
    graph = ad.trace(two, 2.0, first=numbers, second=(0, 1))
    numbers.clear()
    gc.collect()
    assert len(graph) == 10
    assert [number() for number in left] == [None, None]


# ---- crowds ----


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


def test_iterations_are_alike_also_after_python_has_made_their_instructions_quicker():
    def f(x):
        total = 0.0
        for k in range(50):
            total = total + np.sin(x[k % 4]) * x[0]
        return total

    tree = ad.trace(f, X).scopes
    (loop,) = tree.children(0)
    assert [run.repeat for run in tree.runs(loop)] == [50]


def test_a_chain_of_writes_has_a_scope_where_no_other_node_reads_between():
    def f(x):
        out = np.zeros(5)
        out[0] = x[0]
        out[1] = helper(x[1])
        out[2] = x[2]
        out[3:] = x[2:]
        return out

    graph = ad.trace(f, X)
    assert outline(graph) == "f: 13 (out · 4 writes: 4, helper: 3)"


def test_writes_of_several_iterations_stay_where_they_are():
    def f(x):
        out = np.zeros(4)
        for k in range(4):
            out[k] = x[k]
        return out

    assert counts(ad.trace(f, X)) == {"call": 1, "loop": 1, "iteration": 4}
