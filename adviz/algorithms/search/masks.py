"""Vertex elimination on bit masks: costs, reductions, bounds and the exact search.

A graph is a pair of lists of bit masks, ``preds`` and ``succs``: the predecessors and the successors of each vertex.
The vertices in the mask ``inside`` are to be eliminated; all others stay: inputs, outputs, and vertices that are
eliminated later. Everything here and in :mod:`~.cuts` is written in the part of Python that Numba compiles, so that
there is one source for both engines (:mod:`~.engines`): lists become arrays, and masks integers of 64 bits.

Four facts are used. For the eliminated set A, P_j(A) are the vertices outside of A that reach j through A; S_j(A) is
its mirror image, w weighs by sizes, and eliminating j costs w_j w(P_j(A)) w(S_j(A)).

1. *Cuts.* P_j(A) separates what stays from j. So it weighs at least as much as the least vertex cut, whatever A is.
2. *Reductions.* Let P_j and S_j be least cuts, so that j never gets cheaper. Let every v of S_j that is to be
   eliminated have all of P_j as predecessors, except vertices that stay and weigh at most w_j together; and let every u
   of P_j that is to be eliminated have all of S_j as successors, with the mirrored exception. Then some best order
   begins with j, since no other vertex ever costs more once j is eliminated: where j is in P_v(A), a path leads from j
   through a v of S_j, so that all of P_j(A) is in P_v(A) already but those exceptions, which weigh no more than j did.
   *Chains*: if k is the one successor of j, and j the one predecessor of k, the others only see one vertex. The one
   that is first costs w_j w_k w(P_j(A)) if it is j, or w_j w_k w(S_k(A)). So j can be first if w(P_j) is at most the
   least cut of P_j and that of S_k, and w_k <= w_j, so that what is left weighs no more.
   *Corners*: let u be the one predecessor of j, and j the one predecessor of k, its one successor. Let m be at most
   the least cut of P_u if u is to be eliminated, and that of S_k if k is. If 1/w_u + 1/w_k >= 1/w_j + 1/m and
   w_k <= w_j, then j can be first (F. Chin, An O(n) algorithm for determining a near-optimal computation order of
   matrix chain products, CACM 21, 1978, has this for chains alone). For take an order in which j is later than u or k,
   and move j to the front; if k was before j, let it take the place of j. All that met j at its back now meets k, which
   weighs no more. Let j have met predecessors of weight l and successors of weight r. If u was before j, it meets
   w_k instead of w_j, which saves at least (w_j - w_k) w_u m. If k was before j, it cost at least w_j w_k m, and j cost
   w_j l r, where now k costs w_k l r; if l is w_u, r >= m, and that saves at least (w_j - w_k) w_u m. If it was not,
   j cost w_j l w_k >= w_j w_k m. So (w_j - w_k) w_u m + w_j w_k m is saved, and j costs w_u w_j w_k, which is no more.
3. *The last one.* If v is eliminated last, the others see it as one that stays: they are a smaller problem of the same
   kind, which falls into connected components, and v costs what reaches it times what it reaches.
4. *Clusters.* The cost of an order is a sum over disjoint clusters of vertices; in each, its own order decides which
   members stay and which are gone, and cuts bound the rest. So the least over the orders of each cluster, added up, is
   a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .clock import now
from .cuts import HUGE, Ints, Masks, Room, cut, place, weight

Memo = dict[tuple[int, int], int]
"""What is known of problems; in compiled code an array."""


class Proof(NamedTuple):
    """What is the same everywhere in the search of a proof: the whole graph, clusters, and what is counted and known.

    ``memo`` keeps, as long as there is room, twice the bound of a problem, and 1 more if it is exact. ``meter`` counts
    the nodes of the search, and holds how many are allowed, how large the memo may grow, whether the search was broken
    off, in which case its answer means nothing, and the time at which it is to be.
    """

    preds: Masks
    succs: Masks
    sizes: Ints
    clusters: Ints
    memo: Memo
    meter: list[float]
    room: Room


def is_over(meter: list[float]) -> bool:
    """Return whether as many nodes as are allowed were visited, or the time is up; compiled code only counts nodes."""
    return bool(meter[0] > meter[1] or now() > meter[4])


def recall(memo: Memo, inside: int, around: int) -> int:
    """Look a problem up: twice a lower bound, and 1 more if it is exact; -1 if nothing is known."""
    return int(memo.get((inside, around), -1))


def remember(memo: Memo, inside: int, around: int, value: int, meter: list[float]) -> None:
    """Store what is known of a problem, if there is room for it."""
    if len(memo) < meter[2] or (inside, around) in memo:
        memo[inside, around] = value


def eliminate(preds: Masks, succs: Masks, j: int) -> None:
    """Remove ``j`` and join its predecessors to its successors; the masks of ``j`` itself are kept."""
    bit = 1 << j
    todo = preds[j]
    while todo:
        one = todo & -todo
        todo ^= one
        succs[place(one)] = (succs[place(one)] & ~bit) | succs[j]
    todo = succs[j]
    while todo:
        one = todo & -todo
        todo ^= one
        preds[place(one)] = (preds[place(one)] & ~bit) | preds[j]


def cost(preds: Masks, succs: Masks, sizes: Ints, j: int) -> int:
    """Return the multiplications of eliminating ``j`` now."""
    return sizes[j] * weight(preds[j], sizes) * weight(succs[j], sizes)


def reached(preds: Masks, inside: int, j: int) -> int:
    """Return the vertices outside of ``inside`` from which a path through ``inside`` leads to ``j``."""
    seen = preds[j]
    todo = seen & inside
    while todo:
        bit = todo & -todo
        new = preds[place(bit)] & ~seen
        seen |= new
        todo = (todo ^ bit) | (new & inside)
    return seen & ~inside


def cost_as_last(preds: Masks, succs: Masks, sizes: Ints, inside: int, j: int) -> int:
    """Return the multiplications of eliminating ``j`` after all others of ``inside``."""
    rest = inside & ~(1 << j)
    return sizes[j] * weight(reached(preds, rest, j), sizes) * weight(reached(succs, rest, j), sizes)


def least_cost(preds: Masks, succs: Masks, sizes: Ints, inside: int, j: int, room: Room) -> int:
    """Return what ``j`` costs at least, whenever it is eliminated (fact 1)."""
    return sizes[j] * cut(preds, sizes, inside, j, room) * cut(succs, sizes, inside, j, room)


def harmless(preds: Masks, succs: Masks, sizes: Ints, inside: int, j: int) -> bool:
    """Return whether no successor of ``j`` costs more once ``j`` is eliminated (fact 2)."""
    todo = succs[j] & inside
    while todo:
        bit = todo & -todo
        todo ^= bit
        missing = preds[j] & ~preds[place(bit)]
        if missing & inside or weight(missing, sizes) > sizes[j]:
            return False
    return True


def heads_chain(preds: Masks, succs: Masks, sizes: Ints, inside: int, j: int, room: Room) -> bool:
    """Return whether ``j`` and its one successor are a chain of which ``j`` can be first (fact 2)."""
    bit = succs[j]
    if bit & (bit - 1) or not bit & inside:
        return False
    k = place(bit)
    if preds[k] != 1 << j or sizes[k] > sizes[j]:
        return False
    fee = weight(preds[j], sizes)
    return fee <= cut(preds, sizes, inside, j, room) and fee <= cut(succs, sizes, inside, k, room)


def is_corner(preds: Masks, succs: Masks, sizes: Ints, inside: int, j: int, room: Room) -> bool:
    """Tell whether ``j`` can be first of a chain of three, whose ends are small beside their neighbours (fact 2)."""
    before, behind = preds[j], succs[j]
    if before & (before - 1) or behind & (behind - 1):
        return False
    u, k = place(before), place(behind)
    p, q, own = sizes[u], sizes[k], sizes[j]
    if q > own or (behind & inside and preds[k] != 1 << j):
        return False
    least = 0
    if before & inside:
        least = cut(preds, sizes, inside, u, room)
    if behind & inside:
        ahead = cut(succs, sizes, inside, k, room)
        least = min(least, ahead) if least else ahead
    return (p + q) * own * least >= p * q * (own + least)


def is_safe(preds: Masks, succs: Masks, sizes: Ints, inside: int, j: int, room: Room) -> bool:
    """Return whether some best order begins with ``j`` (fact 2)."""
    if harmless(preds, succs, sizes, inside, j) and harmless(succs, preds, sizes, inside, j):
        now = cost(preds, succs, sizes, j)
        if now == least_cost(preds, succs, sizes, inside, j, room):
            return True
    if heads_chain(preds, succs, sizes, inside, j, room) or heads_chain(succs, preds, sizes, inside, j, room):
        return True
    return is_corner(preds, succs, sizes, inside, j, room) or is_corner(succs, preds, sizes, inside, j, room)


def reduce(
    preds: Masks, succs: Masks, sizes: Ints, inside: int, order: Masks, room: Room, meter: list[float]
) -> tuple[int, int, int]:
    """Eliminate what can safely be first, into ``order``; return the cost, what is left, and the number eliminated.

    Where the meter ends it, some is left that could be eliminated.
    """
    total = 0
    count = 0
    todo = inside
    while todo and not is_over(meter):
        bit = todo & -todo
        todo ^= bit
        j = place(bit)
        if is_safe(preds, succs, sizes, inside, j, room):
            total += cost(preds, succs, sizes, j)
            eliminate(preds, succs, j)
            order[count] = j
            count += 1
            inside ^= bit
            todo |= (preds[j] | succs[j]) & inside
    return total, inside, count


def connected(preds: Masks, succs: Masks, start: int, through: int) -> int:
    """Return the vertices ``start`` and all of ``through`` that are connected with them through ``through``."""
    seen = todo = start
    while todo:
        bit = todo & -todo
        j = place(bit)
        new = (preds[j] | succs[j]) & through & ~seen
        seen |= new
        todo = (todo ^ bit) | new
    return seen


def component(preds: Masks, succs: Masks, inside: int) -> int:
    """Return the vertices of ``inside`` that are connected with its first one, through ``inside``."""
    return connected(preds, succs, inside & -inside, inside)


def cluster_bound(preds: Masks, succs: Masks, sizes: Ints, inside: int, cluster: int, room: Room) -> int:
    """Return a lower bound for the cost of a cluster of vertices, in any order (fact 4)."""
    if cluster == 0:
        return 0
    if cluster & (cluster - 1) == 0:
        return least_cost(preds, succs, sizes, inside, place(cluster), room)
    members = [0]
    members.pop()
    todo = cluster
    while todo:
        bit = todo & -todo
        todo ^= bit
        members.append(place(bit))
    full = (1 << len(members)) - 1
    best = [HUGE] * (full + 1)
    best[0] = 0
    others = inside & ~cluster
    for gone in range(full):
        new_preds, new_succs = preds.copy(), succs.copy()
        for k in range(len(members)):
            if gone >> k & 1:
                eliminate(new_preds, new_succs, members[k])
        for k in range(len(members)):
            if not gone >> k & 1:
                total = best[gone] + least_cost(new_preds, new_succs, sizes, others, members[k], room)
                best[gone | 1 << k] = min(best[gone | 1 << k], total)
    return best[full]


def lower_bound(preds: Masks, succs: Masks, sizes: Ints, inside: int, clusters: Ints, room: Room) -> int:
    """Return a lower bound for the cost of all vertices of ``inside`` (fact 4)."""
    total = 0
    for cluster in clusters:
        total += cluster_bound(preds, succs, sizes, inside, cluster & inside, room)
    return total


def around(preds: Masks, succs: Masks, inside: int, gone: int) -> int:
    """Return those of ``gone`` that touch ``inside``, directly or through others of ``gone``."""
    return connected(preds, succs, inside, gone) & gone


def solve(proof: Proof, preds: Masks, succs: Masks, inside: int, gone: int, limit: int) -> int:
    """Return the least cost of eliminating the connected ``inside`` if at most ``limit``, else a bound above that.

    ``preds`` and ``succs`` are the graph of the proof without the vertices ``gone``, which were eliminated first. The
    last vertex is branched on (fact 3).
    """
    sizes, memo, meter, room = proof.sizes, proof.memo, proof.meter, proof.room
    context = around(proof.preds, proof.succs, inside, gone)
    known = recall(memo, inside, context)
    if known >= 0 and (known & 1 == 1 or known >> 1 > limit):
        return known >> 1
    meter[0] += 1
    values = [0] * len(proof.clusters)
    for k in range(len(proof.clusters)):
        if is_over(meter):
            meter[3] = 1
            return 0
        values[k] = cluster_bound(preds, succs, sizes, inside, proof.clusters[k] & inside, room)
    best = HUGE
    if sum(values) > limit:
        best = sum(values)
    elif inside & (inside - 1) == 0:
        best = cost(preds, succs, sizes, place(inside))
    else:
        for bound, v in last_choices(proof, preds, succs, inside, values, limit):
            if bound > limit or bound >= best:
                best = min(best, bound)
                break
            rest = inside & ~(1 << v)
            new_preds, new_succs = preds.copy(), succs.copy()
            fees, left, _ = reduce(new_preds, new_succs, sizes, rest, room.queue, room, meter)
            away = gone | (rest & ~left)
            parts = components(proof, new_preds, new_succs, left, away)
            total = cost_as_last(preds, succs, sizes, inside, v) + fees
            for low, _ in parts:
                total += low
            allowed = min(limit, best - 1)
            for low, part in parts:
                if total > allowed:
                    break
                total += solve(proof, new_preds, new_succs, part, away, allowed - total + low) - low
                if meter[3]:
                    return 0
            best = min(best, total)
        if meter[3]:
            return 0
    remember(memo, inside, context, max(known, 2 * best + (1 if best <= limit else 0)), meter)
    return best


def last_choices(
    proof: Proof, preds: Masks, succs: Masks, inside: int, values: Ints, limit: int
) -> list[tuple[int, int]]:
    """Return the vertices that can be last, each after a bound for the orders that end with it, the lowest first.

    ``values`` are the bounds of the clusters while all of ``inside`` is there. A bound above ``limit`` may be the one
    without what is left of the own cluster. Empty where the search is broken off.
    """
    choices = [(0, 0)]
    choices.pop()
    low = sum(values)
    todo = inside
    while todo:
        bit = todo & -todo
        todo ^= bit
        rest = inside ^ bit
        if is_over(proof.meter):
            proof.meter[3] = 1
            choices.clear()
            break
        bound = low + cost_as_last(preds, succs, proof.sizes, inside, place(bit))
        for k in range(len(proof.clusters)):
            cluster = proof.clusters[k]
            if cluster & bit:
                bound -= values[k]
                if bound <= limit:
                    bound += cluster_bound(preds, succs, proof.sizes, rest, cluster & rest, proof.room)
        choices.append((bound, place(bit)))
    choices.sort()
    return choices


def components(proof: Proof, preds: Masks, succs: Masks, inside: int, gone: int) -> list[tuple[int, int]]:
    """Return the connected components of ``inside``, each after a lower bound for its cost."""
    parts = [(0, 0)]
    parts.pop()
    whole = inside
    while inside:
        part = component(preds, succs, inside)
        inside ^= part
        known = recall(proof.memo, part, around(proof.preds, proof.succs, part, gone))
        if part == whole:
            known = max(known, 0)  # the only one: the search begins with this bound anyway
        if known < 0:
            known = 2 * lower_bound(preds, succs, proof.sizes, part, proof.clusters, proof.room)
        parts.append((known >> 1, part))
    return parts


# ---- orders ----


def order_cost(preds: Masks, succs: Masks, sizes: Ints, order: Iterable[int], limit: float) -> int:
    """Count the multiplications of eliminating all vertices in this order, up to the first sum above ``limit``."""
    new_preds, new_succs = preds.copy(), succs.copy()
    total = 0
    for j in order:
        total += cost(new_preds, new_succs, sizes, j)
        if total > limit:
            break
        eliminate(new_preds, new_succs, j)
    return total


def draw(state: Masks) -> float:
    """Return a number between 0 and 1: Lehmer's generator as of Park and Miller (1988), the same in both engines."""
    state[0] = state[0] * 48271 % 2147483647
    return float(state[0]) / 2147483647.0


def anneal(
    preds: Masks, succs: Masks, sizes: Ints, order: Masks, best: Masks, run: Masks, hot: float, cold: float, steps: int
) -> None:
    """Continue simulated annealing for some steps, each of which moves one vertex of ``order`` to another place.

    ``run`` holds the random state, the costs of ``order`` and of ``best``, the steps that were made, and how many
    there are; over these the temperature falls from ``hot`` to ``cold``.
    """
    n = len(order)
    for _ in range(min(steps, run[4] - run[3])):
        temperature = hot * (cold / hot) ** (run[3] / run[4])
        run[3] += 1
        source = int(draw(run) * n)
        target = int(draw(run) * n)
        limit = run[1] - temperature * math.log(draw(run))
        move(order, source, target)
        total = order_cost(preds, succs, sizes, order, limit)
        if total > limit:
            move(order, target, source)
            continue
        run[1] = total
        if total < run[2]:
            run[2] = total
            best[:] = order


def move(order: Masks, source: int, target: int) -> None:
    """Move what is at one place of an order to another."""
    j = order[source]
    step = 1 if source < target else -1
    for k in range(source, target, step):
        order[k] = order[k + step]
    order[target] = j


# ---- wide masks ----

# Simulated annealing on masks of several words, for graphs of more vertices than one word has bits.
#
# The fast twin of anneal, which defines it: rows of `preds` and `succs` are the words of a mask, the lowest bits
# first. In plain Python it is slow; it is there to be compiled.


BITS = 62
"""Bits of a word that are used: 64, less the sign and one to spare."""

Words = Any
"""A row of words for each mask, as an array."""


def words_of(masks: list[int]) -> Words:
    """Return the masks of all vertices of a graph as rows of words, with a bit for each vertex.

    >>> words_of([5, 2, 0]).tolist(), words_of([1 << 62] * 63)[0].tolist()
    ([[5], [2], [0]], [0, 1])
    """
    count = 1 + (len(masks) - 1) // BITS
    rows = [[mask >> BITS * k & (1 << BITS) - 1 for k in range(count)] for mask in masks]
    return np.array(rows, np.int64)


def wide_weight(words: Words, j: int, sizes: Any) -> int:
    """Return the sum of the sizes of the vertices in a mask."""
    total = 0
    for k in range(words.shape[1]):
        todo = words[j, k]
        while todo:
            bit = todo & -todo
            todo ^= bit
            total += sizes[BITS * k + place(int(bit))]
    return total


def wide_join(ends: Words, others: Words, j: int) -> None:
    """Give each vertex in the mask ``ends[j]`` those of ``others[j]`` instead of ``j``."""
    for k in range(ends.shape[1]):
        todo = ends[j, k]
        while todo:
            bit = todo & -todo
            todo ^= bit
            i = BITS * k + place(int(bit))
            others[i, j // BITS] &= ~(1 << j % BITS)
            for h in range(ends.shape[1]):
                others[i, h] |= others[j, h]


def wide_cost(preds: Words, succs: Words, sizes: Any, j: int) -> int:
    """Return the multiplications of eliminating ``j`` now."""
    return sizes[j] * wide_weight(preds, j, sizes) * wide_weight(succs, j, sizes)


def wide_eliminate(preds: Words, succs: Words, j: int) -> None:
    """Remove ``j`` and join its predecessors to its successors."""
    wide_join(preds, succs, j)
    wide_join(succs, preds, j)
