"""Edmonds' algorithm for a maximum-weight matching that covers every required vertex. Compiled.

A weight is a row of integers, compared lexicographically: each number outweighs all later ones. The algorithm only
adds, subtracts and compares weights, so rows work as well as numbers. A solved graph can be updated, by a change of one
vertex's edges or the removal of a vertex. One search for an alternating path then repairs the matching (J. Edmonds,
1965; Z. Galil, 1986).

Vertices are numbers from 0; a blossom, an odd cycle of vertices and blossoms, has a number after them. Every edge keeps
``dual(one) + dual(other) + charges of the blossoms around both ≥ 2 · weight``. Edges of the matching and of blossoms
have equality (tight edges). An optional vertex may stay single if its dual is 0.

A search grows one tree from one single vertex. All duals in the tree therefore have the same parity, and halves are
integers.
"""

from __future__ import annotations

from faristol.tournament.engines.dutch.field import Ints
from faristol.tournament.engines.dutch.graph import NONE, UNUSED, Graph
from faristol.words.jit import compile_without_allocation

FREE, OUTER, INNER = 0, 1, 2
"""Labels during a search: not reached; reached by an even path from the root; by an odd one."""


@compile_without_allocation
def _less(left: Ints, other: Ints) -> bool:
    for k in range(left.shape[0]):
        if left[k] != other[k]:
            return bool(left[k] < other[k])
    return False


@compile_without_allocation
def _less_halved(left: Ints, other: Ints) -> bool:
    """Check whether half of ``left``, an integer, is less than ``other``."""
    for k in range(left.shape[0]):
        if left[k] != 2 * other[k]:
            return bool(left[k] < 2 * other[k])
    return False


@compile_without_allocation
def _is_positive(row: Ints) -> bool:
    for k in range(row.shape[0]):
        if row[k] != 0:
            return bool(row[k] > 0)
    return False


@compile_without_allocation
def _set_row(row: Ints, other: Ints, divisor: int) -> None:
    """Set ``row`` to a part of ``other``. An assignment of arrays would copy ``other`` first."""
    for k in range(row.shape[0]):
        row[k] = other[k] // divisor


@compile_without_allocation
def _tight(g: Graph, u: int, v: int) -> bool:
    components = g.dual.shape[1]
    k = 0
    while k < components and g.dual[u, k] + g.dual[v, k] == 2 * g.weight[u, v, k]:
        k += 1
    return bool(k == components)


@compile_without_allocation
def _offer(g: Graph, u: int, v: int) -> None:
    """Set outer vertex ``u`` as the nearest to ``v`` if its slack is less."""
    components = g.dual.shape[1]
    if g.nearest[v] != NONE:
        k = 0
        while k < components:
            found = g.dual[u, k] + g.dual[v, k] - 2 * g.weight[u, v, k]
            if found != g.slack[v, k]:
                if found > g.slack[v, k]:
                    return
                break
            k += 1
        if k == components:
            return
    g.nearest[v] = u
    for k in range(components):
        g.slack[v, k] = g.dual[u, k] + g.dual[v, k] - 2 * g.weight[u, v, k]


@compile_without_allocation
def _rebase(g: Graph, blossom: int, vertex: int) -> None:
    """Rotate the matching inside a blossom so that ``vertex`` is matched to the outside."""
    n = g.mate.shape[0]
    g.stack[0], g.stack[1] = blossom, vertex
    height = 2
    while height:
        height -= 2
        b, v = g.stack[height], g.stack[height + 1]
        if b < n or g.base[b] == v:
            continue
        member = v
        while g.parent[member] != b:
            member = g.parent[member]
        g.stack[height], g.stack[height + 1] = member, v
        height += 2
        member_after = g.after[member]
        while member_after != member:
            other = g.after[member_after]
            p, q = g.tail[member_after], g.head[member_after]
            g.mate[p] = q
            g.mate[q] = p
            if member_after >= n:
                g.stack[height], g.stack[height + 1] = member_after, p
                height += 2
            if other >= n:
                g.stack[height], g.stack[height + 1] = other, q
                height += 2
            member_after = g.after[other]
        g.first[b] = member
        g.base[b] = v


@compile_without_allocation
def _flip(g: Graph, vertex: int, partner: int) -> None:
    """Match outer ``vertex`` to ``partner``, or to NONE, and flip the path from it to the root."""
    while True:
        outer = g.top[vertex]
        former = g.mate[g.base[outer]]
        _rebase(g, outer, vertex)
        g.mate[vertex] = partner
        if former == NONE:
            return
        inner = g.top[former]
        vertex, partner = g.tree_tail[inner], g.tree_head[inner]
        _rebase(g, inner, partner)
        g.mate[partner] = vertex


@compile_without_allocation
def _enqueue(g: Graph, top: int, end: int) -> int:
    """Queue the vertices of an outermost blossom for scanning. Return the new end of the queue."""
    n = g.mate.shape[0]
    if top < n:
        g.queue[end] = top
        return end + 1
    for v in range(n):
        if g.top[v] == top:
            g.queue[end] = v
            end += 1
    return end


@compile_without_allocation
def _shrink(g: Graph, u: int, v: int, end: int) -> int:
    """Shrink the cycle closed by an edge of two outer vertices to a blossom. Return the end of the queue."""
    n = g.mate.shape[0]
    g.mark[:] = 0
    outer = g.top[u]
    while True:
        g.mark[outer] = 1
        former = g.mate[g.base[outer]]
        if former == NONE:
            break
        outer = g.top[g.tree_tail[g.top[former]]]
    meeting = g.top[v]
    while g.mark[meeting] == 0:
        meeting = g.top[g.tree_tail[g.top[g.mate[g.base[meeting]]]]]
    # The cycle: the meeting point, down to u, over the edge to v, and up again.
    size = 1
    outer = g.top[u]
    while outer != meeting:
        size += 2
        outer = g.top[g.tree_tail[g.top[g.mate[g.base[outer]]]]]
    g.circle[0] = meeting
    place = size - 1
    outer = g.top[u]
    g.circle_tail[place], g.circle_head[place] = u, v
    while outer != meeting:
        g.circle[place] = outer
        inner = g.top[g.mate[g.base[outer]]]
        g.circle[place - 1] = inner
        g.circle_tail[place - 1], g.circle_head[place - 1] = g.mate[g.base[outer]], g.base[outer]
        g.circle_tail[place - 2], g.circle_head[place - 2] = g.tree_tail[inner], g.tree_head[inner]
        outer = g.top[g.tree_tail[inner]]
        place -= 2
    place = size
    outer = g.top[v]
    while outer != meeting:
        inner = g.top[g.mate[g.base[outer]]]
        g.circle[place] = outer
        g.circle_tail[place], g.circle_head[place] = g.base[outer], g.mate[g.base[outer]]
        g.circle[place + 1] = inner
        g.circle_tail[place + 1], g.circle_head[place + 1] = g.tree_head[inner], g.tree_tail[inner]
        outer = g.top[g.tree_tail[inner]]
        place += 2
    blossom = n
    while g.parent[blossom] != UNUSED:
        blossom += 1
    g.mark[:] = 0
    for i in range(place):
        member = g.circle[i]
        g.mark[member] = 1 + g.label[member]
        g.after[member] = g.circle[(i + 1) % place]
        g.tail[member], g.head[member] = g.circle_tail[i], g.circle_head[i]
        g.parent[member] = blossom
    g.parent[blossom] = NONE
    g.first[blossom] = meeting
    g.base[blossom] = g.base[meeting]
    g.charge[blossom, :] = 0
    g.label[blossom] = OUTER
    for w in range(n):
        found = g.mark[g.top[w]]
        if found:
            if found == 1 + INNER:
                g.queue[end] = w
                end += 1
            g.top[w] = blossom
    return end


@compile_without_allocation
def _members(g: Graph, blossom: int, row: Ints, end: int) -> int:
    """Write the members of a blossom into ``row`` at ``end``, from its base on. Return the new end."""
    member = g.first[blossom]
    while True:
        row[end] = member
        end += 1
        member = g.after[member]
        if member == g.first[blossom]:
            return end


@compile_without_allocation
def _crown(g: Graph, top: int) -> None:
    """Set a vertex or blossom as the outermost of all vertices in it."""
    n = g.mate.shape[0]
    g.stack[0] = top
    height = 1
    while height:
        height -= 1
        held = g.stack[height]
        if held < n:
            g.top[held] = top
            continue
        height = _members(g, held, g.stack, height)


@compile_without_allocation
def _open(g: Graph, blossom: int) -> int:
    """Open an outermost blossom. Write its members to ``circle``, from its base on, and return their number."""
    size = _members(g, blossom, g.circle, 0)
    for i in range(size):
        g.parent[g.circle[i]] = NONE
        g.label[g.circle[i]] = FREE
        _crown(g, g.circle[i])
    g.parent[blossom] = UNUSED
    return size


@compile_without_allocation
def _expand(g: Graph, blossom: int, end: int) -> int:
    """Open an inner blossom without charge and label the path through it. Return the end of the queue."""
    tail, head = g.tree_tail[blossom], g.tree_head[blossom]
    size = _open(g, blossom)
    place = 0
    while g.circle[place] != g.top[head]:
        place += 1
    member = g.circle[place]
    g.label[member] = INNER
    g.tree_tail[member], g.tree_head[member] = tail, head
    forward = place % 2 == 1
    while place % size != 0:
        if forward:
            outer = g.circle[place + 1]
            member = g.circle[(place + 2) % size]
            tail, head = g.tail[outer], g.head[outer]
            place += 2
        else:
            outer = g.circle[place - 1]
            member = g.circle[place - 2]
            tail, head = g.head[member], g.tail[member]
            place -= 2
        g.label[outer] = OUTER
        end = _enqueue(g, outer, end)
        g.label[member] = INNER
        g.tree_tail[member], g.tree_head[member] = tail, head
    return end


@compile_without_allocation
def _next_step(g: Graph) -> tuple[int, int]:
    """Compute the least change of duals up to the next event, into ``step``. Return the event and its place.

    1: a free vertex is reached; 2: two outer vertices close a cycle; 3: an inner blossom has no charge left; 4: an
    optional outer vertex may become single; 0: no event is possible.
    """
    n = g.mate.shape[0]
    what, who = 0, NONE
    for v in range(n):
        if not g.alive[v]:
            continue
        label = g.label[g.top[v]]
        if label == FREE:
            if g.nearest[v] == NONE:
                continue
            # The search ends at a single vertex: of several events at the same distance, prefer that one.
            ends = g.mate[g.base[g.top[v]]] == NONE
            if what == 0 or (ends and not _less(g.step, g.slack[v])) or _less(g.slack[v], g.step):
                what, who = 1, v
                _set_row(g.step, g.slack[v], 1)
                if ends and not g.step.any():
                    break
        elif label == OUTER:
            if g.optional[v] and (what == 0 or _less(g.dual[v], g.step)):
                what, who = 4, v
                _set_row(g.step, g.dual[v], 1)
            if g.nearest[v] != NONE and g.top[g.nearest[v]] == g.top[v]:
                g.nearest[v] = NONE
                for u in range(n):
                    if g.edge[u, v] and g.alive[u] and g.label[g.top[u]] == OUTER and g.top[u] != g.top[v]:
                        _offer(g, u, v)
            if g.nearest[v] != NONE and (what == 0 or _less_halved(g.slack[v], g.step)):
                what, who = 2, v
                _set_row(g.step, g.slack[v], 2)
    for b in range(n, g.parent.shape[0]):
        if g.parent[b] == NONE and g.label[b] == INNER and (what == 0 or _less_halved(g.charge[b], g.step)):
            what, who = 3, b
            _set_row(g.step, g.charge[b], 2)
    return what, who


@compile_without_allocation
def _take_step(g: Graph) -> None:
    """Change the duals by ``step``."""
    n, components = g.dual.shape
    for v in range(n):
        if not g.alive[v]:
            continue
        label = g.label[g.top[v]]
        for k in range(components):
            if label == OUTER:
                g.dual[v, k] -= g.step[k]
                g.slack[v, k] -= 2 * g.step[k]
            elif label == INNER:
                g.dual[v, k] += g.step[k]
            else:
                g.slack[v, k] -= g.step[k]
    for b in range(n, g.parent.shape[0]):
        if g.parent[b] == NONE and g.label[b] != FREE:
            for k in range(components):
                g.charge[b, k] += 2 * g.step[k] if g.label[b] == OUTER else -2 * g.step[k]


@compile_without_allocation
def _reach(g: Graph, near: int, vertex: int, end: int) -> int:
    """Extend the tree from outer ``near`` over a tight edge to a free vertex. Return the end of the queue.

    Returns NONE if the vertex was single: the path from the root to it is then flipped, and the search has ended.
    """
    reached = g.top[vertex]
    former = g.mate[g.base[reached]]
    if former == NONE:
        _flip(g, near, vertex)
        _rebase(g, reached, vertex)
        g.mate[vertex] = near
        return NONE
    g.label[reached] = INNER
    g.tree_tail[reached], g.tree_head[reached] = near, vertex
    g.label[g.top[former]] = OUTER
    return _enqueue(g, g.top[former], end)


@compile_without_allocation
def _scan(g: Graph, u: int, end: int) -> int:
    """Follow the tight edges of an outer vertex and update the slack of the others. Return as ``_reach`` does."""
    for v in range(g.mate.shape[0]):
        if not g.edge[u, v] or not g.alive[v] or g.top[v] == g.top[u]:
            continue
        label = g.label[g.top[v]]
        if label == OUTER and _tight(g, u, v):
            end = _shrink(g, u, v, end)
            continue
        _offer(g, u, v)
        if label == FREE and not g.slack[v].any():
            end = _reach(g, g.nearest[v], v, end)
            if end == NONE:
                break
    return end


@compile_without_allocation
def _search(g: Graph, root: int) -> bool:
    """Match the single vertex ``root``; only an optional vertex may become single. Return False if impossible."""
    g.label[:] = FREE
    g.nearest[:] = NONE
    g.label[g.top[root]] = OUTER
    begin = 0
    end = _enqueue(g, g.top[root], 0)
    while True:
        while begin < end:
            u = g.queue[begin]
            begin += 1
            if g.optional[u] and not g.dual[u].any():
                _flip(g, u, NONE)
                return True
            end = _scan(g, u, end)
            if end == NONE:
                return True
        what, who = _next_step(g)
        if what == 0:
            return False
        _take_step(g)
        if what == 1:
            end = _reach(g, g.nearest[who], who, end)
            if end == NONE:
                return True
        elif what == 2:
            end = _shrink(g, g.nearest[who], who, end)
        elif what == 3:
            end = _expand(g, who, end)
        else:
            _flip(g, who, NONE)
            return True


@compile_without_allocation
def mend(g: Graph) -> bool:
    """Match every single vertex that may not stay single. Return False if there is no such matching."""
    for v in range(g.mate.shape[0]):
        if not g.alive[v] or g.mate[v] != NONE:
            continue
        if g.optional[v] and not _is_positive(g.dual[v]):
            continue
        if not _search(g, v):
            return False
        for b in range(g.mate.shape[0], g.parent.shape[0]):
            if g.parent[b] == NONE and not g.charge[b].any():
                _open(g, b)
    return True


@compile_without_allocation
def solve(g: Graph) -> bool:
    """Find the best matching of a new graph. Return False if no matching covers every required vertex."""
    n = g.mate.shape[0]
    for v in range(n):
        known = g.optional[v]
        for u in range(n):
            if g.edge[u, v] and (not known or _less(g.dual[v], g.weight[u, v])):
                _set_row(g.dual[v], g.weight[u, v], 1)
                known = True
    return resume(g)


@compile_without_allocation
def resume(g: Graph) -> bool:
    """Find the best matching of a graph with given duals, which must be feasible for all edges.

    Before any search, each vertex is matched to the first free one over a tight edge.
    """
    n = g.mate.shape[0]
    for v in range(n):
        if g.mate[v] != NONE:
            continue
        for u in range(v + 1, n):
            if g.edge[u, v] and g.mate[u] == NONE and _tight(g, u, v):
                g.mate[u], g.mate[v] = v, u
                break
    return mend(g)


@compile_without_allocation
def _part(g: Graph, vertex: int) -> None:
    other = g.mate[vertex]
    if other != NONE:
        g.mate[vertex] = NONE
        g.mate[other] = NONE


@compile_without_allocation
def release(g: Graph, vertex: int) -> None:
    """Open every blossom around a vertex. Matched edges that would not stay tight leave the matching."""
    n, components = g.dual.shape
    while g.top[vertex] >= n:
        blossom = g.top[vertex]
        if g.charge[blossom].any():
            for v in range(n):
                if g.top[v] == blossom:
                    for k in range(components):
                        g.dual[v, k] += g.charge[blossom, k] // 2
            _part(g, g.base[blossom])
        _open(g, blossom)


@compile_without_allocation
def reweigh(g: Graph, vertex: int) -> None:
    """Restore feasibility after a change of weights of a vertex's edges. Call ``release`` before, ``mend`` after."""
    n, components = g.dual.shape
    _part(g, vertex)
    known = g.optional[vertex]
    g.dual[vertex, :] = 0
    for u in range(n):
        if not g.edge[u, vertex] or not g.alive[u]:
            continue
        sooner = not known
        if known:
            for k in range(components):
                found = 2 * g.weight[u, vertex, k] - g.dual[u, k]
                if found != g.dual[vertex, k]:
                    sooner = found > g.dual[vertex, k]
                    break
        if sooner:
            known = True
            for k in range(components):
                g.dual[vertex, k] = 2 * g.weight[u, vertex, k] - g.dual[u, k]


@compile_without_allocation
def remove(g: Graph, vertex: int) -> None:
    """Remove a vertex from the graph. Call ``mend`` after it."""
    release(g, vertex)
    _part(g, vertex)
    g.alive[vertex] = False
