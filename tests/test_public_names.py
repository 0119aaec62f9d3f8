"""The public names are those that were released: what a person has written goes on working.

A name that gets a better word keeps working under the old one, with a ``DeprecationWarning`` that says the new one.
"""

import inspect
import re

import pytest

import adviz

RELEASED = """
Adam AdvizError AlgebraPlayer ArrayProgram ArrayWriteError Block BlockError BranchError Branches BudgetError CGraph
CGraphError ComparisonExplorer Constant ConversionError Counting Dense Diagonal DomainError Edit EliminationPlayer
Explorer GD GradientError Graph GraphFileError IndependentOutputWarning InputError Jacobian Lesson LineGraph
MissingBlockError ModeError Node Nodes NonFiniteWarning Optimum OrderError OutputError Player Program ProgramError
ProgramExplorer QueryError ResetGraphError SeedError ShowError SimpleBlock Step Table Timeline TimelineError
TraceClosedError Variable add algebra anneal arccos arcsin arctan beam blocks budget c_graph check_block
check_gradient compare compare_graphs compare_orders compile compile_gradient compile_hessian compile_hvp
compile_jacobian compile_jvp compile_vjp cos cosh define derivative_graphs divide dstar edge_elimination elimination
examples exp explore face_elimination figures forward_flow grad hessian hvp jacobian jvp lazy leaderboard lesson
line_graph linearize live_bytes load log logistic multiply optimal_order play power profile rank_heap recursion
replay reset_graph rewind set_backend set_mode show_algebra show_backward show_build show_comparison
show_computation show_elimination show_forward show_ops show_program show_tape_vs_graph sin sinh sqrt subtract
sum_elts sweeps tan tanh tape toposort trace use_counts value_and_grad vertex_elimination vjp why_illegal
""".split()

SIGNATURES = """
add(operands) anneal(graph technique effort time_limit options) arccos(operands) arcsin(operands) arctan(operands)
beam(graph technique effort time_limit options) budget(f args nodes bytes times_used operations grain settings)
check_block(block points settings) check_gradient(f gradient args argnums settings)
compare(f args engines seeds settings) compare_graphs(before after)
compare_orders(f args techniques orders count units effort time_limit cost settings)
compile(f example grain points backend threads branches fast settings)
compile_gradient(f example order inputs points backend threads branches fast settings)
compile_hessian(f example order inputs points backend threads branches fast settings)
compile_hvp(f example order grain points backend threads branches fast settings)
compile_jacobian(f example order inputs outputs form points backend threads branches fast settings)
compile_jvp(f example order points backend threads branches fast settings)
compile_vjp(f example order points backend threads branches fast settings) cos(operands) cosh(operands)
define(ufunc partials family) derivative_graphs(graph) divide(operands) dstar(graphs counting)
edge_elimination(graph order counting) exp(operands) explore(f args grain settings)
face_elimination(graph order counting way) forward_flow(graph direction) grad(f argnums grain) hessian(f argnums grain)
hvp(f primals tangents grain settings) jacobian(f argnums mode grain) jvp(f primals tangents grain settings)
leaderboard(f args records technique count units effort time_limit settings) lesson(name) line_graph(graph)
live_bytes(graph gradient) linearize(f args grain prune choices settings) load(path most_bytes) log(x base)
logistic(operands) multiply(operands) profile(f args grain seconds)
optimal_order(graph technique count units effort time_limit memory executor workers seed engine progress cost)
play(source args graph panels teach grain settings) power(operands) rank_heap(graph seeds) recursion(graph seeds)
replay(start steps) reset_graph() rewind(end steps) set_backend(backend) set_mode(mode)
show_algebra(f args way references direction panels teach effort time_limit grain settings)
show_backward(f args engine seeds jacobian panels teach in_place grain settings) show_build(f args panels)
show_comparison(before after labels) show_computation(computation values panels teach)
show_elimination(f args technique order orders direction count units own panels teach effort time_limit grain settings)
show_forward(f args direction jacobian panels teach grain settings) show_ops(ops panels teach)
show_program(f example derivative order options)
show_tape_vs_graph(f args engines align seeds panels teach grain settings) sin(operands) sinh(operands) sqrt(operands)
subtract(operands) sum_elts(x) tan(operands) tanh(operands) tape(graph seeds flags) toposort(graph seeds)
trace(f args grain settings) use_counts(graph seeds in_place) value_and_grad(f argnums grain)
vertex_elimination(graph order counting) vjp(f primals grain settings) why_illegal(graph move)
"""
PARAMETERS = dict(re.findall(r"(\w+)\((.*?)\)", SIGNATURES))

ATTRIBUTES = {
    "Adam": "solve step update",
    "AlgebraPlayer": (
        "answers association be_open breakpoints columns cursor fallback inputs model_id multiplications open order "
        "playing put_away save scene score selection speed"
    ),
    "Block": (
        "compute data_fn family get_jacobians gradient_forward linearize local_jacobians number operations partials"
    ),
    "Branches": "name source",
    "CGraph": (
        "called copy edges from_edges from_json from_networkx intermediates is_bipartite is_cut_off "
        "is_intermediate jacobian made_by name partial predecessors pruned redo remove_edge remove_vertex set_partial "
        "size state successors summary to_graphviz to_json to_networkx undo vertices"
    ),
    "Counting": "additions cost count multiplications units",
    "Dense": (
        "T apply applying between dense entries jvp multiple multiplications nnz normal plus scaled scaling shape "
        "structure times vjp"
    ),
    "Diagonal": "T apply between dense jvp multiple multiplications nnz normal plus shape structure times vjp",
    "Edit": "after before key",
    "EliminationPlayer": (
        "answers be_open breakpoints columns cost cursor fallback inputs model_id open order playing put_away "
        "save scene score selection speed"
    ),
    "Explorer": "be_open columns fallback model_id open play put_away save scene selection",
    "GD": "solve step update",
    "Graph": (
        "ancestors block_counts blocks by bytes codes columns count_paths depth descendants edges edges_table find "
        "label labels levels literal live local_jacobians name nodes_table operand_nodes operands operations origin "
        "save scope_label scope_path scopes summary table times_used to_csv to_dot to_graphviz to_networkx users "
        "width"
    ),
    "Jacobian": "T apply between dense jvp multiple multiplications nnz normal plus shape structure times vjp",
    "Lesson": "save shows",
    "LineGraph": (
        "add_face add_node biclique called cgraph copy faces fresh has_face interior interior_faces is_tripartite "
        "jacobian label made_by name node_name nodes predecessors redo remove_face remove_node set_label size "
        "state successors sums to_graphviz undo"
    ),
    "Node": "block bytes dtype graph index live name operands origin scope shape times_used users value",
    "Nodes": "count index table",
    "Optimum": "count interrupted resume search units",
    "Player": (
        "answers be_open breakpoints columns cursor fallback inputs model_id open playing put_away save scene "
        "score selection speed"
    ),
    "Program": "cost finished function_name graph lines notes save source sources",
    "ProgramExplorer": "be_open columns fallback model_id open play put_away roofline save scene selection",
    "SimpleBlock": (
        "compute data_fn family get_jacobians gradient_fn gradient_forward linearize local_jacobians number partials"
    ),
    "Step": "additions comparisons edits focus kind multiplications",
    "Table": "get items keys rows sorted taken to_pandas values",
    "Timeline": "additions at multiplications record",
    "elimination": (
        "Counting Damage DerivativeGraphs OrderError derivative_graphs dstar edge_elimination eliminate_edge "
        "eliminate_face eliminate_vertex face_elimination faces_left fill_in forward full_splitting greedy "
        "greedy_edges greedy_faces greedy_order markowitz merge_partially minimal_damage overall "
        "relative_markowitz reverse split_node vertex_elimination vertex_order why_illegal"
    ),
    "sweeps": (
        "CASES ENGINES Meter SeedError compare evaluation forward_flow lazy_evaluation parallel_tape rank_heap "
        "recursion reference_counting tape tape_parts toposort use_counts"
    ),
}
"""Methods and attributes; of modules the names they offer."""


def test_the_public_names_are_the_released_ones():
    assert sorted(adviz.__all__) == RELEASED


@pytest.mark.parametrize(("name", "released"), PARAMETERS.items())
def test_a_function_takes_the_arguments_it_took(name, released):
    parameters, wanted = inspect.signature(getattr(adviz, name)).parameters, released.split()
    assert [each for each in parameters if each in wanted] == wanted


@pytest.mark.parametrize(("name", "released"), ATTRIBUTES.items())
def test_a_class_or_module_offers_what_it_offered(name, released):
    assert {*released.split()} <= {*dir(getattr(adviz, name))}
