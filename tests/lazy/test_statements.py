"""What the source says of op graphs (Nervana Graph, 2016), and what becomes of it here.

Each statement has the tests that hold it, or the reason why it is left out. "Instead" says what there is in its place.

Ops
    Arguments are a tuple of ops; others are wrapped as constants; one op may come twice.
        test_arguments_are_ops_and_plain_values_become_constants
    An op that is used twice is computed once.
        test_what_is_used_twice_is_computed_once
    Initializers run once before any computation and order nothing in it.
        test_initializers_fill_storage_once_and_order_nothing
    Control dependencies (other_deps) are an ordered set of ops that run before; all_deps has arguments as well.
        test_what_is_built_after_an_assignment_runs_after_it
        test_each_op_comes_once_after_what_it_depends_on_and_always_in_the_same_order
    A dependency that is added to a view or to storage goes to the op that really runs, or is ignored.
        test_storage_and_views_wait_for_nothing
    Passes forward ops to their replacements.
        left out: a compiled program is made of terms that are rewritten; the ops stay as they were built.
    Schemas are a list, the newest first.
        test_the_newest_schema_of_a_kind_is_found
    Metadata are a dictionary; anything else is a ValueError.
        test_metadata_decorate_functions_and_methods
    An op knows its name, file, line, the code around, and "File …, line …" for editors.
        test_each_op_knows_the_expression_that_built_it
    An op without a name is called after its class and a counter, AddOp_1; graph_label, style.
        left out: it is called by the variable that it is assigned to, or its Block; pictures choose their own style.
    The line is found outside of constructors, and of files whose path contains ngraph/op_graph, with "/".
        test_each_op_knows_the_expression_that_built_it
    Constants, placeholders, variables and persistent tensors differ by flags.
        test_kinds_of_storage_are_told_by_flags
    Ops are keys: no ==; comparisons for < > <= >= build ops.
        test_ops_are_keys_and_comparisons_build_ops_but_equality_does_not
    x[...] = v, += and its like build assignments.
        test_python_assigns_with_brackets_and_in_place

Named axes
    Order is irrelevant; what an operand has no axis of is repeated; results have axes in the order of appearance.
        test_random_programs_match_axes_as_whole_arrays_do
        test_results_have_the_axes_of_their_operands_in_the_order_of_appearance
    An axis occurs once in a shape; reductions, casts and reordering name axes.
        test_axes_that_do_not_fit_are_named_with_the_line
        test_random_programs_match_axes_as_whole_arrays_do
    dot contracts the axes that both have, or those that are dual, C - 1.
        test_an_axis_and_its_dual_make_a_square_matrix_which_can_be_multiplied
    A slice of an axis is another axis.
        test_parts_of_one_axis_are_the_same_axis_where_their_entries_are
    Roles tell axes apart by purpose.
        test_a_role_names_an_axis_as_well
    Two axes of one length and of different identity give an outer sum.
        test_random_programs_match_axes_as_whole_arrays_do
        test_axes_that_do_not_fit_are_named_with_the_line (where they have one name it is an error)
    A reduction over no axes leaves its operand as it is.
        test_results_have_the_axes_of_their_operands_in_the_order_of_appearance
    The length of an axis may be set later; broadcast to a list of axes.
        left out: shapes are known when an op is built; what has no axis is repeated where it is needed.
    tanh(dot(w, x) + b) of images, its derivative and its variables.
        test_the_example_of_the_source

Order
    Each op once, after what it depends on; the same order in each run.
        test_each_op_comes_once_after_what_it_depends_on_and_always_in_the_same_order
    Of those that are ready, the one that became so last.
        left out: instead, the one that was built first, so that a program runs in the order in which it is read.
    A circle is a ValueError.
        test_a_circle_of_orders_is_named

Derivatives
    deriv builds a graph only.
        test_nothing_is_computed
    Its value is the adjoint times the derivative, with the axes of the independent.
        test_derivatives_have_the_axes_of_what_they_are_with_respect_to_also_through_casts
        test_gradients_of_random_programs_are_those_of_the_engine
    The error has the same set of axes as the dependent, in any order, else a ValueError.
        test_the_adjoint_that_is_given_matches_by_axis
        test_what_cannot_be_differentiated_is_said_with_its_line
    Without an error the dependent is a number: deriv(p, p) raises.
        test_what_cannot_be_differentiated_is_said_with_its_line
    One sweep, memoized by dependent and error, serves all independents; all share the error 1.
        test_all_independents_share_adjoints_that_are_built_once
        test_each_adjoint_that_is_given_has_a_sweep_of_its_own
    The sweep goes over a snapshot in reverse order: what it builds is not visited.
        test_what_is_built_meanwhile_is_not_visited
    The first contribution is stored; for each later one there is an add op.
        test_where_a_value_is_used_more_than_once_its_adjoint_is_a_chain_of_add_ops
    An op may have a factor (scale) that its adjoint is multiplied by.
        left out: multiply by the factor, which is an op that can be seen.
    An independent that is not reached has the constant 0.
        test_without_a_path_it_is_zero_of_the_shape_of_the_independent_with_a_warning
    What was stored by an assignment is a leaf.
        test_what_was_stored_is_a_leaf
    Divide and power give NaN at 0.
        test_derivatives_at_zeros_ties_and_parts (a defect of the source: here they do not)
    At ties, maximum gives 0 to both operands, and max the whole adjoint to each entry.
        test_derivatives_at_zeros_ties_and_parts (a defect of the source: here ties share it)
    log looks at its argument: log(a / b) and log(exp(x)).
        test_derivatives_at_zeros_ties_and_parts (by rules of simplification)
    Sums and broadcasts, slices and their transposes, products with zeros.
        test_derivatives_at_zeros_ties_and_parts
        test_each_operation_survives_the_way_into_ops
    StopGradient.
        left out: broken in that era; a value that is assigned to storage is a leaf.
    A value may pass each increment of its adjoint on at once, or add them up first.
        left out: added up first, always; the engines of ad.compare show both.
    The coefficients of y = a x² + b x + c (the published last line is wrong).
        test_the_adjoints_of_a_polynomial
    deriv of deriv.
        test_derivatives_of_derivatives
        test_values_and_derivatives_of_both_orders_are_those_of_the_definition
    SimplePrune: ×0, ×1, +0, sums and products of constants, log(exp(x)).
        left out: the rules of compiled programs do this, each with a law that the tests of the kernels check.

Schemas
    add_schema puts a schema first, whose derivative counts; find_schema returns the first of a type, or None.
        test_the_newest_schema_of_a_kind_is_found
        test_a_schema_of_ones_own_has_the_derivative_that_it_says
    softmax shifts by the maximum; its adjoint is z − Σz·s with z = δ·s.
        test_values_and_derivatives_of_both_orders_are_those_of_the_definition
        test_what_vanishes_or_is_large_stays_a_number
    The cross-entropy of a softmax has the derivative δ·(softmax(x) − t), where Σt = 1.
        test_softmax_and_cross_entropy_for_any_weights (here for any t)
        test_the_derivative_of_softmax_and_cross_entropy_divides_by_nothing
    Of other values it takes the logarithm of exp(−50) at least.
        test_what_vanishes_or_is_large_stays_a_number
    In bits (usebits); an option that switches the shortcut off.
        left out: divide by log 2; multiply the softmax by 1 for the plain derivative.
    sigmoid is δ·s·(1 − s); with binary cross-entropy (s − t)·δ.
        test_values_and_derivatives_of_both_orders_are_those_of_the_definition
        test_one_sigmoid_and_binary_cross_entropy_is_the_difference
    Unslice, the scatter of a slice.
        left out: the Block of indexing has its transpose as a rule.

Variables and metadata
    variables(filter) are the trainable ops that are reached, in order: [w, b].
        test_variables_come_in_the_order_in_which_they_were_built
    metadata(key=value) marks all ops that are built inside; ops are selected by it.
        test_metadata_mark_what_is_built_meanwhile_and_select_it
    A decorator takes the metadata from an attribute of the object.
        test_metadata_decorate_functions_and_methods
    captured_ops and all_ops collect what is built meanwhile.
        left out: select by metadata, or the order of a result, ordered_ops().
"""

import ast
import re
from pathlib import Path


def test_each_statement_has_a_test_or_a_reason():
    names = {
        node.name
        for path in Path(__file__).parent.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    statements, held = 0, []
    for line in __doc__.splitlines():
        if re.match(r" {4}\S", line):
            statements += 1
            held.append([])
        elif line.startswith(" " * 8):
            held[-1].append(line.split(maxsplit=1)[0])
    assert statements > 40
    assert all(held)
    assert {each for parts in held for each in parts} - names == {"left"}  # out
