"""What the source says of op graphs (Nervana Graph, 2016), and what becomes of it here.

The sections are those of building_graphs.rst and of the code of that time. Each statement has the tests that hold it,
or the reason why it is left out. "Instead" says what there is in its place. What the source says of memory and of
passes is told in ``adviz/lazy/memory/__init__.py``, beside what is here; its tests are in the section "Memory".

Ops
    Arguments are a tuple of ops; others are wrapped as constants; one op may come twice.
        test_arguments_are_ops_and_plain_values_become_constants
    An op that is used twice is computed once.
        test_what_is_used_twice_is_computed_once
    Constants have an initializer, and so has storage with an initial value; sums and bare placeholders have none.
        test_initializers_fill_storage_once_and_order_nothing
    Initializers run once before any computation and order nothing in it.
        test_initializers_fill_storage_once_and_order_nothing
        test_initial_values_are_made_once
    Ops that are made for initial values are captured by nobody.
        left out: pictures of what is built draw them.
    Control dependencies (other_deps) are an ordered set of ops that run before; all_deps has arguments as well.
        test_what_is_built_after_an_assignment_runs_after_it
        test_dependencies_are_those_of_control_and_the_arguments
        test_each_op_comes_once_after_what_it_depends_on_and_always_in_the_same_order
    A dependency that is added to a view or to storage goes to the op that really runs, or is ignored.
        test_storage_and_views_wait_for_nothing
        test_a_sequence_runs_what_a_part_shows_before_what_comes_next
    Passes forward ops to their replacements.
        left out: a compiled program is made of terms that are rewritten; the ops stay as they were built.
    Schemas are a list, the newest first.
        test_the_newest_schema_of_a_kind_is_found
    Metadata are a dictionary; anything else is a ValueError.
        test_metadata_decorate_functions_and_methods
    An op knows its name, file, line, the code around, and "File …, line …" for editors.
        test_each_op_knows_the_expression_that_built_it
    An op without a name is called after its class and a counter, AddOp_1; <AddOp(label):AddOp_1>.
        test_an_op_is_called_as_it_was_named (instead, it has the name of its variable, or of its Block)
    graph_label, graph_label_type, style.
        left out: pictures choose their own labels and style.
    The line is found outside of constructors, and of files whose path contains ngraph/op_graph, with "/".
        test_each_op_knows_the_expression_that_built_it (instead, by the packages of the frames)
    Files of front ends count as the user's.
        test_each_op_knows_the_expression_that_built_it (a helper of the user's is the user's code)
    Constants, placeholders, variables, persistent tensors and temporary values differ by flags.
        test_kinds_of_storage_are_told_by_flags
    Ops are keys: no ==; comparisons for < > <= >= build ops.
        test_ops_are_keys_and_comparisons_build_ops_but_equality_does_not
    x[...] = v, += and its like build assignments.
        test_python_assigns_with_brackets_and_in_place
        test_adding_does_not_change_what_is_added

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

Assignments
    What must run before a tensor is used next is kept by thread.
        test_contexts_are_those_of_a_thread
    An op waits for what was assigned to its arguments before it was built, and for nothing that is assigned later.
        test_what_is_built_after_an_assignment_runs_after_it
        test_what_was_built_before_an_assignment_does_not_wait_for_it
        test_ops_wait_for_what_the_rules_say (random programs)
    A second assignment waits for the first, and replaces it.
        test_a_second_assignment_replaces_the_first
    Fill, SetItem and Stack do so as well.
        left out: an assignment of a number, and to a view; what is stacked is a value without storage.
    An assignment through a view counts for the whole.
        test_an_assignment_through_a_view_orders_the_whole
        test_what_is_assigned_to_a_view_is_seen_in_the_whole
    To assign to a constant is a ValueError.
        test_what_cannot_be_built_is_said_with_its_line
    ... unless it is forced.
        left out: a constant that changes is a variable.
    What is isolated (saved_user_deps) vanishes at the end, also when nested, and after an error.
        test_isolation_ends_and_nests
        test_isolation_ends_with_an_error
    saved_user_deps(map) goes on with an earlier map.
        left out: no example needs it, and one could not see what runs.
    A computation adds what its results wait for, as it is where the computation is made: 1, 2, 3.
        test_what_was_assigned_to_a_result_before_runs_with_it
        test_what_a_computation_waits_for_is_decided_where_it_is_made
    ... and all that this waits for.
        test_what_must_run_before_brings_along_what_it_waits_for
    Isolated it is 0, 0, 0; with the update among the results 1, 2, 3.
        test_what_is_isolated_runs_only_where_it_is_asked_for
    x = 0, assign(x, 5), z = x + 1: z waits for the assignment, and is 6.
        test_what_is_built_after_an_assignment_runs_after_it
    test_setting: x, x + y, x + y.
        test_setting
    Optimizers are isolated; the velocity is assigned first, then the parameter by the new velocity; doall(updates).
        test_a_step_runs_only_where_it_is_asked_for
        test_steps_are_those_of_the_method
        test_the_program_is_written_in_the_names_of_the_variables
    They divide the derivative of the cost by the size of the batch.
        left out: a loss is a mean, or it is divided by hand.
    doall runs all of its ops.
        test_doall_runs_all_of_its_ops
    sequential: in the order of the list, with the value of the last one.
        test_a_sequence_runs_its_ops_one_after_the_other_each_once
    ... each op at most once.
        test_a_sequence_runs_an_op_that_is_named_twice_once
    x0 = x + x, assign(x, 2), x1 = x + x in a sequence: 0 and 4.
        test_a_sequence_runs_its_ops_one_after_the_other_each_once
    Later, order was inferred from what is read and written.
        test_by_either_rule_a_sequence_reads_before_it_writes
        test_by_inference_an_assignment_runs_only_where_it_is_asked_for
    A computation that needs a placeholder which it is not given is a ValueError.
        test_what_cannot_be_computed_is_said_with_its_line
        test_what_is_wrong_is_a_value_error

Order
    Each op once, after what it depends on; the same order in each run.
        test_each_op_comes_once_after_what_it_depends_on_and_always_in_the_same_order
        test_an_order_has_each_op_once
    Of those that are ready, the one that became so last.
        left out: instead, the one that was built first, so that a program runs in the order in which it is read.
    A circle is a ValueError; at first it was dropped in silence.
        test_a_circle_of_orders_is_named
        test_what_is_wrong_is_a_value_error

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
        test_of_itself_it_is_the_adjoint_that_is_given
    One sweep, memoized by dependent and error, serves all independents; all share the error 1.
        test_all_independents_share_adjoints_that_are_built_once
        test_each_adjoint_that_is_given_has_a_sweep_of_its_own
    The sweep goes over a snapshot in reverse order: what it builds is not visited.
        test_what_is_built_meanwhile_is_not_visited
    The first contribution is stored; for each later one there is an add op.
        test_where_a_value_is_used_more_than_once_its_adjoint_is_a_chain_of_add_ops
    An op may have a factor (scale) that its adjoint is multiplied by.
        left out: multiply by the factor, which is an op that can be seen.
    Contributions have the axes of what they are of, else a ValueError.
        left out: rules of Blocks have it so, which test_gradients_of_random_programs_are_those_of_the_engine compares.
    An independent that is not reached has the constant 0.
        test_without_a_path_it_is_zero_of_the_shape_of_the_independent_with_a_warning
    Its own test expects an error, which comes of vectors of length 1 without an adjoint.
        test_a_missing_connection_is_no_error_but_a_vector_without_an_adjoint_is
    The result is repeated to the shape of the independent.
        test_derivatives_at_zeros_ties_and_parts
    What was stored by an assignment is a leaf.
        test_what_was_stored_is_a_leaf
    Divide and power give NaN at 0.
        test_derivatives_at_zeros_ties_and_parts (a defect of the source: here they do not)
    At ties, maximum and minimum give 0 to both operands, max and min the whole adjoint to each entry.
        test_derivatives_at_zeros_ties_and_parts (a defect of the source: here ties share it)
    log looks at its argument: log(a / b) and log(exp(x)).
        test_derivatives_at_zeros_ties_and_parts (by rules of simplification)
    Products, sums and differences; sums and broadcasts; slices and their transposes; products with zeros.
        test_derivatives_at_zeros_ties_and_parts
        test_derivatives_of_derivatives_of_parts
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
    SimplePrune: -constant, ×0, ×1, ×(-1), +0, sums and products of constants, log(exp(x)), log(exp(x) / y).
        test_what_the_passes_leave_of_small_programs
        test_a_step_says_by_which_law_and_what_changed

Schemas
    add_schema puts a schema first, whose derivative counts; find_schema returns the first of a type, or None.
        test_the_newest_schema_of_a_kind_is_found
        test_a_schema_of_ones_own_has_the_derivative_that_it_says
    It can be added without its derivative (set_generate_adjoints=False).
        left out: a schema that has no derivative of its own is metadata.
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
    The shifted softmax of the definition is NaN where all but one vanish.
        test_derivatives_at_zeros_ties_and_parts (a defect of the source: here it is not)
    Unslice, the scatter of a slice.
        left out: the Block of indexing has its transpose as a rule.

Variables and metadata
    variables(filter) are the trainable ops that are reached, in order: [w, b].
        test_variables_come_in_the_order_in_which_they_were_built
    metadata(key=value) marks all ops that are built inside; ops are selected by it.
        test_metadata_mark_what_is_built_meanwhile_and_select_it
    A decorator takes the metadata from an attribute of the object.
        test_metadata_decorate_functions_and_methods
    all_ops collects what is built meanwhile, also for those who collect outside.
        test_ops_are_captured_also_those_that_nothing_depends_on_and_none_afterwards
    captured_ops hides it from them.
        left out: a picture of what is built shows all.
    Name scopes.
        left out: metadata nest, and are drawn as nested boxes.

Computations
    Results are an op, a sequence, a set or nothing; the answer is a value, a tuple, a dictionary or None.
        test_results_come_in_the_structure_in_which_they_were_asked_for (with a set the source fails)
    Ops without a value give None.
        test_doall_runs_all_of_its_ops
    Parameters are placeholders, and there are as many values as parameters; else a ValueError.
        test_what_cannot_be_computed_is_said_with_its_line
        test_what_is_wrong_is_a_value_error
    The first call runs passes until nothing changes, allocates, and writes a function for each computation.
        test_the_program_can_be_read (here that is done where the computation is made)
    All initializers run once, at the first call of the first computation.
        test_initial_values_are_made_once (here initial values are made where storage is built)
    After the first call no other computation can be made.
        test_a_computation_can_be_made_after_another_one_ran (here it can, at any time)
    Persistent tensors keep their value between calls and across computations.
        test_setting
        test_computations_do_what_the_interpreter_does (random programs)
        test_computations_in_two_threads_have_the_state_of_their_stores
    A value that is passed for a placeholder with an initial value overwrites that.
        test_what_is_passed_is_stored
    Returned arrays are the memory of the device.
        test_results_are_the_callers_own (a defect of the source: here they are copies)
    e = a * b + c at 4, 2, 7 is 15, and [d, e] is 8, 15; plus_one gives 1 to 5.
        test_the_examples_of_the_source
    Tensor description, buffer and view are three things.
        test_the_memory_is_that_of_the_plan
        test_plans_are_safe_and_between_the_largest_live_set_and_a_buffer_for_each_value
    Handles of results.
        left out: a call returns values, and a store what storage holds.
    Serialization (later).
        test_storage_is_saved_and_loaded

Memory
    All that is computed between is in place; in the code of that date this is switched off.
        test_only_operations_on_entries_write_in_place_over_what_nothing_else_needs
        test_small_programs_take_the_bytes_that_one_counts_by_hand
    Liveness backward from results and storage; operands live while an op runs.
        test_lifetimes_solve_the_equations_of_liveness
    Interference, weighted by bytes, and its greedy coloring: neighbors never share a color.
        test_the_coloring_is_proper (in the code of the source, sets of neighbors changed while they were read)
    A buffer of the heaviest size for each color; the total is their sum.
        test_plans_are_safe_and_between_the_largest_live_set_and_a_buffer_for_each_value
    Nodes are colored by buffer in the drawing.
        test_the_memory_is_that_of_the_plan
    Greedy fusion of elementwise ops of one shape, and of reductions after them.
        test_a_group_runs_as_one_loop_over_its_entries
        test_fusion_takes_the_heaviest_edge_first
    Fusion of a reduction with elementwise ops after it.
        left out: a loop cannot read a sum before it has ended.
    Live, new and free tensors for each op; outputs live to the end (later).
        test_the_allocation_is_a_timeline
        test_what_is_returned_or_stored_lives_to_the_end
    Best-fit and first-fit offsets; what is freed merges with its neighbors (later).
        test_the_smallest_gap_or_the_first_one_is_taken
        test_pieces_and_gaps_make_up_the_arena
    Middle-out offsets (later).
        left out: by size, the peak is nearly always the lower bound.
    Ops are moved to where they free or take memory (later).
        left out: they run in the order in which they were built and control dependencies say.
    Nothing is read before it is written (later).
        test_a_program_that_runs_in_its_planned_bytes_has_the_results_of_the_computation
        test_passes_in_any_order_keep_values_and_can_be_taken_back
    Tensors are lowered to 0, 1 or 2 axes.
        left out: NumPy computes with any number of axes.

Pictures
    A graph whose boxes have names, axes and metadata.
        test_kinds_of_ops_are_told_by_shape_and_word
        test_metadata_are_nested_boxes_and_derivatives_have_their_own
    Edges of data, of initializers and of control have colors of their own.
        test_three_kinds_of_edges_and_what_stores_are_told_apart (here also styles)
    Edges to what an op was forwarded to.
        left out: ops are not forwarded.
    Ops are grouped by a key of their metadata.
        test_metadata_are_nested_boxes_and_derivatives_have_their_own
    A PDF is written and opened; JSON has nodes, lines and edges.
        test_shows_are_saved (JSON: the Scene)
        test_each_op_knows_its_line_and_a_derivative_that_of_what_it_derives
    The order of execution, and tensors as boxes (later).
        test_values_arrive_in_the_order_in_which_ops_run
    Bytes by op, up to the footprint; the tensors of the peak (later).
        test_the_memory_is_that_of_the_plan
        test_the_plan_can_be_read_as_a_table
    TensorBoard.
        left out: a picture that needs a server of its own.
    Values on nodes, animation, interaction and stepping are not offered there.
        test_values_on_stage_are_numbers_and_maps
        test_ops_are_built_one_after_the_other_without_values
"""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent.parent


def test_each_statement_has_a_test_or_a_reason():
    names = {
        node.name
        for path in TESTS.rglob("test_*.py")
        if {"lazy", "ops", "jupyter"} & {*path.parts}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    statements, held = [], []
    for line in __doc__.splitlines():
        if re.match(r" {4}\S", line):
            statements.append(line)
            held.append([])
        elif line.startswith(" " * 8):
            held[-1].append(line.split(maxsplit=1)[0])
    assert len(statements) > 100
    assert [statement for statement, tests in zip(statements, held, strict=True) if not tests] == []
    assert {each for tests in held for each in tests} - names == {"left"}  # out
