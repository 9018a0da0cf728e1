"""The loops over the compiled graph. They live in one file because numba's cache does not see changes elsewhere.

`nodes` and `edges` are the record arrays of `recommender.compiled`, `table` is the work space of `recommender.walk`.
The walk is x = (1 - alpha) s + alpha W D^-1 x, with s the seeds, W the weighted adjacency and D the weighted degrees.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

EMPTY = -1
"""Key of an unused slot of the work space."""


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a function on first use and keeps the machine code, unless there is no folder to keep it in."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder it may write to
        return numba.njit(nogil=True)(function)


# ------------------------------------------------------------------------------------------------ reading and inserting


@_compiled
def find_node(nodes, count, number):  # type: ignore[no-untyped-def]
    """Index of an id among the first `count` nodes, which are sorted by id, or -1."""
    low, high = 0, count
    while low < high:
        middle = (low + high) >> 1
        if nodes[middle].id < number:
            low = middle + 1
        else:
            high = middle
    if low < count and nodes[low].id == number:
        return low
    return -1


@_compiled
def edge_weight(nodes, edges, one, other):  # type: ignore[no-untyped-def]
    """Weight of the edge between two nodes, 0 when there is none; looks through the shorter of the two lists."""
    if nodes[one].size > nodes[other].size:
        one, other = other, one
    start = np.int64(nodes[one].start)
    for at in range(start, start + np.int64(nodes[one].size)):
        if edges[at].target == other:
            return np.float64(edges[at].weight)
    return 0.0


@_compiled
def append_edge(nodes, edges, tail, node, target, weight):  # type: ignore[no-untyped-def]
    """Adds one directed edge; a full list moves to the tail with twice the room.

    Returns:
        The new tail of the edge array, or -1 when the array has no room left.
    """
    start, size = np.int64(nodes[node].start), np.int64(nodes[node].size)
    if size == nodes[node].capacity:
        capacity = 2 * size + 2
        if tail + capacity > edges.shape[0]:
            return -1
        for offset in range(size):
            edges[tail + offset].target = edges[start + offset].target
            edges[tail + offset].weight = edges[start + offset].weight
        start = tail
        tail += capacity
        nodes[node].start = start
        nodes[node].capacity = capacity
    edges[start + size].target = target
    edges[start + size].weight = weight
    nodes[node].size = size + 1
    nodes[node].degree += np.float64(edges[start + size].weight)
    return tail


# ------------------------------------------------------------------------------------------------------- forward push


@_compiled
def _slot(nodes, table, touched, count, node, epsilon):  # type: ignore[no-untyped-def]
    """Slot of a node in the work space, made on first touch; the number of touched slots follows it."""
    mask = table.shape[0] - 1
    at = ((np.int64(node) * 2654435769) >> 12) & mask
    while table[at].key != node:
        if table[at].key == EMPTY:
            table[at].key = node
            table[at].queued = 0
            table[at].residue = 0.0
            table[at].estimate = 0.0
            table[at].limit = epsilon * nodes[node].degree
            touched[count] = at
            return at, count + 1
        at = (at + 1) & mask
    return at, count


@_compiled
def push(nodes, edges, table, touched, queue, seeds, masses, alpha, epsilon):  # type: ignore[no-untyped-def]
    """Signed forward push until no residue exceeds epsilon times its node's weighted degree.

    Residues may have either sign, since x is linear in the seeds. Every seed is pushed at least once: the threshold of
    a hub is so high that a profile of hubs would otherwise give nothing.

    Args:
        nodes: node records.
        edges: edge records.
        table: empty work space; its length is a power of two.
        touched: takes the slots in use; half as long as the table.
        queue: ring of slots to push, as long as the table.
        seeds: node indices, each once.
        masses: their signed masses.
        alpha: probability of walking on.
        epsilon: threshold per unit of weighted degree.

    Returns:
        Number of touched slots, or -1 minus that number when the work space is full and the result useless.
    """
    ring = queue.shape[0] - 1
    room = touched.shape[0]
    count, head, tail = 0, 0, 0
    for index in range(seeds.shape[0]):
        at, count = _slot(nodes, table, touched, count, seeds[index], epsilon)
        table[at].residue += masses[index]
        table[at].queued = 1
        queue[tail & ring] = at
        tail += 1
    while head < tail:
        at = queue[head & ring]
        head += 1
        node = table[at].key
        residue = table[at].residue
        table[at].residue = 0.0
        table[at].queued = 0
        table[at].estimate += (1.0 - alpha) * residue
        size = np.int64(nodes[node].size)
        if size == 0:
            continue
        if count + size > room:
            return -1 - count
        share = alpha * residue / nodes[node].degree
        start = np.int64(nodes[node].start)
        for edge in range(start, start + size):
            other, count = _slot(nodes, table, touched, count, edges[edge].target, epsilon)
            table[other].residue += share * edges[edge].weight
            if table[other].queued == 0 and abs(table[other].residue) > table[other].limit:
                table[other].queued = 1
                queue[tail & ring] = other
                tail += 1
    return count


@_compiled
def reset(table, touched, count):  # type: ignore[no-untyped-def]
    """Empties the slots in use."""
    for index in range(count):
        table[touched[index]].key = EMPTY


@_compiled
def _value(table, node, alpha):  # type: ignore[no-untyped-def]
    """What the push knows of x at a node: the estimate and the part of the residue that stays there."""
    mask = table.shape[0] - 1
    at = ((np.int64(node) * 2654435769) >> 12) & mask
    while table[at].key != node:
        if table[at].key == EMPTY:
            return 0.0
        at = (at + 1) & mask
    return table[at].estimate + (1.0 - alpha) * table[at].residue


@_compiled
def values(table, wanted, alpha):  # type: ignore[no-untyped-def]
    """What the push knows of x at some nodes (see `push`)."""
    found = np.empty(wanted.shape[0], dtype=np.float64)
    for index in range(wanted.shape[0]):
        found[index] = _value(table, wanted[index], alpha)
    return found


@_compiled
def pull(nodes, edges, table, node, mass, alpha):  # type: ignore[no-untyped-def]
    """One Jacobi step for one node: its x from what the push knows of its neighbours.

    Args:
        nodes: node records.
        edges: edge records.
        table: work space after `push`.
        node: node index.
        mass: the node's own seed mass.
        alpha: probability of walking on.
    """
    start, size = np.int64(nodes[node].start), np.int64(nodes[node].size)
    if size == 0:
        return (1.0 - alpha) * mass
    total = 0.0
    for edge in range(start, start + size):
        other = edges[edge].target
        total += edges[edge].weight * _value(table, other, alpha) / nodes[other].degree
    return (1.0 - alpha) * mass + alpha * total


@_compiled
def _sift(best, scores, kept, node, score):  # type: ignore[no-untyped-def]
    """Puts a node in its place among the best, which are kept in descending order; returns how many are kept."""
    if kept == best.shape[0]:
        if score <= scores[kept - 1]:
            return kept
        kept -= 1
    at = kept
    while at > 0 and scores[at - 1] < score:
        best[at] = best[at - 1]
        scores[at] = scores[at - 1]
        at -= 1
    best[at] = node
    scores[at] = score
    return kept + 1


@_compiled
def _eligible(nodes, node, domain, barred, allowed):  # type: ignore[no-untyped-def]
    if nodes[node].domain != domain or (allowed.shape[0] > 0 and allowed[node] == 0):
        return False
    low, high = 0, barred.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if barred[middle] < node:
            low = middle + 1
        else:
            high = middle
    return not (low < barred.shape[0] and barred[low] == node)


@_compiled
def shortlist(nodes, table, touched, count, alpha, domain, barred, allowed, gamma, prior_total, leaders, size):  # type: ignore[no-untyped-def]  # fmt: skip
    """The best items by what the push knows, among touched items and the best known ones.

    Args:
        nodes: node records.
        table: work space after `push`.
        touched: slots in use.
        count: how many.
        alpha: probability of walking on.
        domain: code of the wanted domain.
        barred: sorted indices of nodes never to be shown.
        allowed: one flag a node, or empty when every item of the domain is allowed.
        gamma: weight of popularity.
        prior_total: sum of the domain's priors.
        leaders: nodes with the largest priors.
        size: number of items wanted.

    Returns:
        Node indices, unordered.
    """
    best = np.empty(size, dtype=np.int64)
    scores = np.empty(size, dtype=np.float64)
    kept = 0
    known = gamma / prior_total if prior_total > 0 else 0.0
    for index in range(count):
        at = touched[index]
        node = table[at].key
        score = (1.0 - gamma) * (table[at].estimate + (1.0 - alpha) * table[at].residue) + known * nodes[node].prior
        if (kept < size or score > scores[kept - 1]) and _eligible(nodes, node, domain, barred, allowed):
            kept = _sift(best, scores, kept, node, score)
    taken = 0
    for index in range(leaders.shape[0]):
        if taken == size:
            break
        node = leaders[index]
        if _eligible(nodes, node, domain, barred, allowed):
            taken += 1
            if _value(table, node, alpha) == 0.0:
                kept = _sift(best, scores, kept, node, known * nodes[node].prior)
    return best[:kept]


# ------------------------------------------------------------------------------------------------------ exact solution


@_compiled
def gauss_seidel(nodes, edges, count, seeds, alpha, tolerance, limit):  # type: ignore[no-untyped-def]
    """Solves the walk for all nodes by Gauss-Seidel sweeps over y = D^-1 x.

    Args:
        nodes: node records.
        edges: edge records.
        count: number of nodes.
        seeds: signed seed mass of every node.
        alpha: probability of walking on.
        tolerance: stop when a sweep changes x by less than this in total.
        limit: largest number of sweeps.

    Returns:
        x for every node.
    """
    y = np.zeros(count, dtype=np.float64)
    for _ in range(limit):
        change = 0.0
        for node in range(count):
            size = np.int64(nodes[node].size)
            if size == 0:
                continue
            start = np.int64(nodes[node].start)
            total = 0.0
            for edge in range(start, start + size):
                total += edges[edge].weight * y[edges[edge].target]
            degree = nodes[node].degree
            value = ((1.0 - alpha) * seeds[node] + alpha * total) / degree
            change += abs(value - y[node]) * degree
            y[node] = value
        if change < tolerance:
            break
    x = np.empty(count, dtype=np.float64)
    for node in range(count):
        x[node] = y[node] * nodes[node].degree if nodes[node].size > 0 else (1.0 - alpha) * seeds[node]
    return x
