"""Vertex elimination on bit masks: costs, cuts, reductions, bounds and the exact search.

A graph is a pair of lists of bit masks, the predecessors and the successors of each vertex. The vertices in the mask
``inside`` are to be eliminated; all others stay: inputs, outputs, and vertices that are eliminated later. All of this
is written in the part of Python that numba compiles too, so that there is one source for both engines
(:mod:`~.engines`): lists become arrays, and masks integers of 64 bits.

Four facts are used. For the eliminated set A, P_j(A) are the vertices outside of A that reach j through A; S_j(A) is
its mirror image, w weighs by sizes, and eliminating j costs w_j w(P_j(A)) w(S_j(A)).

1. *Cuts.* P_j(A) separates what stays from j. So it weighs at least as much as the least vertex cut, whatever A is.
2. *Reductions.* Let P_j and S_j be least cuts, so that j never gets cheaper. Let every v of S_j that is to be
   eliminated have all of P_j as predecessors, except vertices that stay and weigh at most w_j together; and let every u
   of P_j that is to be eliminated have all of S_j as successors, with the mirrored exception. Then some best order
   begins with j, since no other vertex is ever dearer when j has gone: where j is in P_v(A), a path leads from j
   through a v of S_j, so that all of P_j(A) is in P_v(A) already but those exceptions, which weigh no more than j did.
   *Chains*: if k is the one successor of j, and j the one predecessor of k, the others only see one vertex. The one
   that goes first pays w_j w_k w(P_j(A)) if it is j, or w_j w_k w(S_k(A)). So j can go first if w(P_j) is at most the
   cut before j and the cut behind k, and w_k <= w_j, so that what is left weighs no more.
3. *The last one.* If v is eliminated last, the others see it as one that stays: they are a smaller problem of the same
   kind, which falls into connected components, and v costs what reaches it times what it reaches.
4. *Clusters.* The cost of an order is a sum over disjoint clusters of vertices; in each, its own order decides which
   members stay and which are gone, and cuts bound the rest. So the least over the orders of each cluster, added up, is
   a lower bound.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

Masks = Any
"""A list of bit masks by vertex, or an array of them."""

HUGE = 1 << 1000
"""More than any cost; compiled code has another."""


class Room(NamedTuple):
    """What the search of a cut writes on; all zero between the calls."""

    flow: Any
    through: Any
    carriers: Any
    parent: Any
    queue: Any


def place(bit: int) -> int:
    """The place of the one bit that is set."""
    return bit.bit_length() - 1


def is_over(meter: Any) -> bool:
    """Whether as many nodes as are allowed were visited, or the time is up; compiled code only counts nodes."""
    return bool(meter[0] > meter[1] or time.monotonic() > meter[4])


def recall(memo: Any, inside: int, around: int) -> int:
    """What is known of a problem: twice a lower bound, and 1 more if it is exact; -1 if nothing is."""
    return int(memo.get((inside, around), -1))


def remember(memo: Any, inside: int, around: int, value: int, meter: Any) -> None:
    """Keep what was found out, if there is room for it."""
    if len(memo) < meter[2] or (inside, around) in memo:
        memo[inside, around] = value


def weight(mask: int, sizes: Any) -> int:
    """The sum of the sizes of the vertices in a mask."""
    total = 0
    while mask:
        bit = mask & -mask
        mask ^= bit
        total += sizes[place(bit)]
    return total


def eliminate(before: Masks, behind: Masks, j: int) -> None:
    """Take ``j`` out and join its predecessors to its successors; what ``j`` itself had stays written."""
    bit = 1 << j
    todo = before[j]
    while todo:
        one = todo & -todo
        todo ^= one
        behind[place(one)] = (behind[place(one)] & ~bit) | behind[j]
    todo = behind[j]
    while todo:
        one = todo & -todo
        todo ^= one
        before[place(one)] = (before[place(one)] & ~bit) | before[j]


def cost(before: Masks, behind: Masks, sizes: Any, j: int) -> int:
    """The multiplications of eliminating ``j`` now."""
    return sizes[j] * weight(before[j], sizes) * weight(behind[j], sizes)


def reached(before: Masks, inside: int, j: int) -> int:
    """The vertices outside of ``inside`` from which a path through ``inside`` leads to ``j``."""
    seen = before[j]
    todo = seen & inside
    while todo:
        bit = todo & -todo
        new = before[place(bit)] & ~seen
        seen |= new
        todo = (todo ^ bit) | (new & inside)
    return seen & ~inside


def cost_as_last(before: Masks, behind: Masks, sizes: Any, inside: int, j: int) -> int:
    """The multiplications of eliminating ``j`` after all others of ``inside``."""
    rest = inside & ~(1 << j)
    return sizes[j] * weight(reached(before, rest, j), sizes) * weight(reached(behind, rest, j), sizes)


def cut(before: Masks, sizes: Any, inside: int, j: int, room: Room) -> int:
    """The weight of the least vertex cut between what stays and ``j``: maximal flow by shortest augmenting paths.

    Each vertex is split into a way in (even) and a way out (odd) with its size between them; paths start at ``j``.
    """
    if before[j] & inside == 0:
        return weight(before[j], sizes)
    n = len(sizes)
    flow, through, carriers, parent, queue = room
    total = 0
    touched = 0
    source = 2 * j + 1
    while True:
        queue[0] = source
        head = 0
        tail = 1
        into = 0
        out = 1 << j
        end = -1
        while head < tail and end < 0:
            x = queue[head]
            head += 1
            v = x >> 1
            if x & 1:
                new = before[v] & ~into
                if v != j and through[v] > 0:
                    new |= (1 << v) & ~into
                step = 0
                into |= new
            elif through[v] < sizes[v] and not (inside >> v) & 1:
                parent[x + 1] = x
                end = x + 1
                new = 0
                step = 1
            else:
                new = carriers[v] & ~out
                if through[v] < sizes[v]:
                    new |= (1 << v) & ~out
                step = 1
                out |= new
            while new:
                bit = new & -new
                new ^= bit
                parent[2 * place(bit) + step] = x
                queue[tail] = 2 * place(bit) + step
                tail += 1
        if end < 0:
            break
        least = HUGE
        x = end
        while x != source:
            y = parent[x]
            if x >> 1 == y >> 1:
                least = min(least, sizes[x >> 1] - through[x >> 1] if x & 1 else through[x >> 1])
            elif x & 1:
                least = min(least, flow[(x >> 1) * n + (y >> 1)])
            x = y
        x = end
        while x != source:
            y = parent[x]
            v = x >> 1
            u = y >> 1
            touched |= 1 << v
            if u == v:
                through[v] += least if x & 1 else -least
            elif x & 1:
                flow[v * n + u] -= least
                if flow[v * n + u] == 0:
                    carriers[u] &= ~(1 << v)
            else:
                flow[u * n + v] += least
                carriers[v] |= 1 << u
            x = y
        total += least
    while touched:
        bit = touched & -touched
        touched ^= bit
        v = place(bit)
        through[v] = 0
        while carriers[v]:
            one = carriers[v] & -carriers[v]
            carriers[v] ^= one
            flow[place(one) * n + v] = 0
    return total


def least_cost(before: Masks, behind: Masks, sizes: Any, inside: int, j: int, room: Room) -> int:
    """What ``j`` costs at least, whenever it is eliminated (fact 1)."""
    return sizes[j] * cut(before, sizes, inside, j, room) * cut(behind, sizes, inside, j, room)


def harmless(before: Masks, behind: Masks, sizes: Any, inside: int, j: int) -> bool:
    """Whether no vertex behind ``j`` is dearer when ``j`` has gone (fact 2)."""
    todo = behind[j] & inside
    while todo:
        bit = todo & -todo
        todo ^= bit
        missing = before[j] & ~before[place(bit)]
        if missing & inside or weight(missing, sizes) > sizes[j]:
            return False
    return True


def heads_chain(before: Masks, behind: Masks, sizes: Any, inside: int, j: int, room: Room) -> bool:
    """Whether ``j`` and its one successor are a chain of which ``j`` can go first (fact 2)."""
    bit = behind[j]
    if bit & (bit - 1) or not bit & inside:
        return False
    k = place(bit)
    if before[k] != 1 << j or sizes[k] > sizes[j]:
        return False
    fee = weight(before[j], sizes)
    return fee <= cut(before, sizes, inside, j, room) and fee <= cut(behind, sizes, inside, k, room)


def is_safe(before: Masks, behind: Masks, sizes: Any, inside: int, j: int, room: Room) -> bool:
    """Whether some best order begins with ``j`` (fact 2)."""
    if harmless(before, behind, sizes, inside, j) and harmless(behind, before, sizes, inside, j):
        now = cost(before, behind, sizes, j)
        if now == least_cost(before, behind, sizes, inside, j, room):
            return True
    return heads_chain(before, behind, sizes, inside, j, room) or heads_chain(behind, before, sizes, inside, j, room)


def reduce(before: Masks, behind: Masks, sizes: Any, inside: int, order: Any, room: Room) -> tuple[int, int, int]:
    """Eliminate what can safely go first, written to ``order``; the multiplications, what is left, how many went."""
    total = 0
    count = 0
    todo = inside
    while todo:
        bit = todo & -todo
        todo ^= bit
        j = place(bit)
        if is_safe(before, behind, sizes, inside, j, room):
            total += cost(before, behind, sizes, j)
            eliminate(before, behind, j)
            order[count] = j
            count += 1
            inside ^= bit
            todo |= (before[j] | behind[j]) & inside
    return total, inside, count


def component(before: Masks, behind: Masks, inside: int) -> int:
    """The vertices of ``inside`` that are connected with its first one, through ``inside``."""
    todo = inside & -inside
    seen = todo
    while todo:
        bit = todo & -todo
        new = (before[place(bit)] | behind[place(bit)]) & inside & ~seen
        seen |= new
        todo = (todo ^ bit) | new
    return seen


def cluster_bound(before: Masks, behind: Masks, sizes: Any, inside: int, cluster: int, room: Room) -> int:
    """What the vertices of a cluster cost together at least, in any order (fact 4)."""
    if cluster == 0:
        return 0
    if cluster & (cluster - 1) == 0:
        return least_cost(before, behind, sizes, inside, place(cluster), room)
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
        heads, tails = before.copy(), behind.copy()
        for k in range(len(members)):
            if gone >> k & 1:
                eliminate(heads, tails, members[k])
        for k in range(len(members)):
            if not gone >> k & 1:
                total = best[gone] + least_cost(heads, tails, sizes, others, members[k], room)
                best[gone | 1 << k] = min(best[gone | 1 << k], total)
    return best[full]


def lower_bound(before: Masks, behind: Masks, sizes: Any, inside: int, clusters: Any, room: Room) -> int:
    """What the vertices of ``inside`` cost together at least (fact 4)."""
    total = 0
    for cluster in clusters:
        total += cluster_bound(before, behind, sizes, inside, cluster & inside, room)
    return total


def around(before: Masks, behind: Masks, inside: int, gone: int) -> int:
    """Those of ``gone`` that touch ``inside``, directly or through others of ``gone``."""
    seen = inside
    todo = inside
    while todo:
        bit = todo & -todo
        new = (before[place(bit)] | behind[place(bit)]) & gone & ~seen
        seen |= new
        todo = (todo ^ bit) | new
    return seen & gone


def solve(
    start: tuple[Masks, Masks],
    before: Masks,
    behind: Masks,
    sizes: Any,
    inside: int,
    gone: int,
    limit: int,
    clusters: Any,
    memo: Any,
    meter: Any,
    room: Room,
) -> int:
    """The least cost of eliminating the connected ``inside`` if it is at most ``limit``, else a bound above that.

    ``before`` and ``behind`` are the graph ``start`` without the vertices ``gone``, which were eliminated first. The
    last vertex is branched on (fact 3). ``memo`` keeps twice the bound, and 1 more if it is exact, as long as there is
    room for it. ``meter`` counts the nodes of the search, and holds how many are allowed, how large the memo may grow,
    whether the search was broken off, when the answer means nothing, and the time at which it is to be.
    """
    context = around(start[0], start[1], inside, gone)
    known = recall(memo, inside, context)
    if known >= 0 and (known & 1 == 1 or known >> 1 > limit):
        return known >> 1
    meter[0] += 1
    values = [0] * len(clusters)
    for k in range(len(clusters)):
        if is_over(meter):
            meter[3] = 1
            return 0
        values[k] = cluster_bound(before, behind, sizes, inside, clusters[k] & inside, room)
    low = sum(values)
    best = HUGE
    if low > limit:
        best = low
    elif inside & (inside - 1) == 0:
        best = cost(before, behind, sizes, place(inside))
    else:
        choices = [(0, 0)]
        choices.pop()
        todo = inside
        while todo:
            bit = todo & -todo
            todo ^= bit
            rest = inside ^ bit
            if is_over(meter):
                meter[3] = 1
                return 0
            bound = low + cost_as_last(before, behind, sizes, inside, place(bit))
            for k in range(len(clusters)):
                if clusters[k] & bit:
                    bound += cluster_bound(before, behind, sizes, rest, clusters[k] & rest, room) - values[k]
            choices.append((bound, place(bit)))
        choices.sort()
        for bound, v in choices:
            if bound > limit or bound >= best:
                best = min(best, bound)
                break
            rest = inside & ~(1 << v)
            heads, tails = before.copy(), behind.copy()
            fees, left, _ = reduce(heads, tails, sizes, rest, room.queue, room)
            away = gone | (rest & ~left)
            total = cost_as_last(before, behind, sizes, inside, v) + fees
            parts = [(0, 0)]
            parts.pop()
            while left:
                part = component(heads, tails, left)
                left ^= part
                known_part = recall(memo, part, around(start[0], start[1], part, away))
                if known_part < 0:
                    known_part = 2 * lower_bound(heads, tails, sizes, part, clusters, room)
                total += known_part >> 1
                parts.append((known_part >> 1, part))
            allowed = min(limit, best - 1)
            for bound, part in parts:
                if total > allowed:
                    break
                room_left = allowed - total + bound
                total += solve(start, heads, tails, sizes, part, away, room_left, clusters, memo, meter, room) - bound
                if meter[3]:
                    return 0
            best = min(best, total)
    remember(memo, inside, context, max(known, 2 * best + (1 if best <= limit else 0)), meter)
    return best


# ---- orders ----


def order_cost(before: Masks, behind: Masks, sizes: Any, order: Any, limit: float) -> int:
    """The multiplications of eliminating all vertices in this order, or the first sum that is above ``limit``."""
    heads, tails = before.copy(), behind.copy()
    total = 0
    for j in order:
        total += cost(heads, tails, sizes, j)
        if total > limit:
            break
        eliminate(heads, tails, j)
    return total


def draw(state: Any) -> float:
    """A number between 0 and 1: Lehmer's generator as of Park and Miller (1988), the same in both engines."""
    state[0] = state[0] * 48271 % 2147483647
    return float(state[0]) / 2147483647.0


def anneal(
    before: Masks, behind: Masks, sizes: Any, order: Any, best: Any, state: Any, hot: float, cold: float, steps: int
) -> None:
    """Go on with simulated annealing for some steps: one vertex of ``order`` is moved to another place.

    ``state`` holds the random state, the costs of ``order`` and of ``best``, the steps that were made, and how many
    there are; over these the temperature falls from ``hot`` to ``cold``.
    """
    n = len(order)
    for _ in range(min(steps, state[4] - state[3])):
        temperature = hot * (cold / hot) ** (state[3] / state[4])
        state[3] += 1
        source = int(draw(state) * n)
        target = int(draw(state) * n)
        limit = state[1] - temperature * math.log(draw(state))
        _move(order, source, target)
        total = order_cost(before, behind, sizes, order, limit)
        if total > limit:
            _move(order, target, source)
            continue
        state[1] = total
        if total < state[2]:
            state[2] = total
            best[:] = order


def _move(order: Any, source: int, target: int) -> None:
    """Take what is at one place out and put it in at another."""
    j = order[source]
    step = 1 if source < target else -1
    for k in range(source, target, step):
        order[k] = order[k + step]
    order[target] = j
