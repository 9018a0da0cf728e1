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

WIDE = 1000
"""Nodes with more edges than this are taken as the push left them."""

UNKNOWN = 0.0
"""Limit of a slot whose node has not been read yet."""


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a function on first use and keeps the machine code, unless there is no folder to keep it in."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder it may write to
        return numba.njit(nogil=True)(function)


# ------------------------------------------------------------------------------------------------ reading and inserting


@_compiled
def find_node(nodes, count, number):
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
def edge_weight(nodes, edges, one, other):
    """Weight of the edge between two nodes, 0 when there is none; looks through the shorter of the two lists."""
    if nodes[one].size > nodes[other].size:
        one, other = other, one
    start = np.int64(nodes[one].start)
    for at in range(start, start + np.int64(nodes[one].size)):
        if edges[at].target == other:
            return np.float64(edges[at].weight)
    return 0.0


@_compiled
def _append(nodes, edges, tail, node, target, weight):
    """Adds one directed edge, for which there must be room; a full list moves to the tail with twice the room."""
    start, size = np.int64(nodes[node].start), np.int64(nodes[node].size)
    if size == nodes[node].capacity:
        for offset in range(size):
            edges[tail + offset].target = edges[start + offset].target
            edges[tail + offset].weight = edges[start + offset].weight
        start = tail
        nodes[node].start = start
        nodes[node].capacity = 2 * size + 2
        tail += 2 * size + 2
    edges[start + size].target = target
    edges[start + size].weight = weight
    nodes[node].size = size + 1
    nodes[node].degree += np.float64(edges[start + size].weight)
    return tail


@_compiled
def join(nodes, edges, tail, node, targets, weights, first):
    """Joins a node to others, both ways, except to itself and to those that it is joined to.

    Args:
        nodes: node records.
        edges: edge records.
        tail: end of the last list of edges.
        node: node index.
        targets: indices of the others.
        weights: of the edges.
        first: position among the targets to begin with.

    Returns:
        The new tail, and the position that was reached: less than the number of targets when the room ran out.
    """
    for place in range(first, targets.shape[0]):
        other = targets[place]
        if other == node or weights[place] <= 0.0 or edge_weight(nodes, edges, node, other) > 0.0:
            continue
        if tail + 2 * (np.int64(nodes[node].size) + np.int64(nodes[other].size) + 2) > edges.shape[0]:
            return tail, place
        tail = _append(nodes, edges, tail, node, other, weights[place])
        tail = _append(nodes, edges, tail, other, node, weights[place])
    return tail, targets.shape[0]


@_compiled
def part(nodes, edges, node):
    """Takes all edges of a node away; the room for them stays. The last edge of each neighbour fills the gap."""
    start = np.int64(nodes[node].start)
    for at in range(start, start + np.int64(nodes[node].size)):
        other = np.int64(edges[at].target)
        first, size = np.int64(nodes[other].start), np.int64(nodes[other].size)
        degree = 0.0
        gap = np.int64(-1)
        for place in range(first, first + size):
            if edges[place].target == node:
                gap = np.int64(place)
            else:
                degree += np.float64(edges[place].weight)
        if gap >= 0:
            edges[gap].target = edges[first + size - 1].target
            edges[gap].weight = edges[first + size - 1].weight
            nodes[other].size = size - 1
            nodes[other].degree = degree
    nodes[node].size = 0
    nodes[node].degree = 0.0


# ------------------------------------------------------------------------------------------------------- forward push


@_compiled
def _slot(table, touched, count, node):
    """Slot of a node in the work space, made on first touch; the number of touched slots follows it."""
    mask = table.shape[0] - 1
    at = ((np.int64(node) * 2654435769) >> 12) & mask
    while table[at].key != node:
        if table[at].key == EMPTY:
            table[at].key = node
            table[at].limit = UNKNOWN
            table[at].residue = 0.0
            table[at].estimate = 0.0
            touched[count] = at
            return at, count + 1
        at = (at + 1) & mask
    return at, count


@_compiled
def _plant(nodes, table, touched, queue, seeds, masses, epsilon, lowest):
    """Queues every seed with its mass; returns how many there are."""
    count = 0
    for index in range(seeds.shape[0]):
        at, count = _slot(table, touched, count, seeds[index])
        table[at].residue = masses[index]
        table[at].limit = -max(epsilon * nodes[seeds[index]].degree, lowest)
        queue[index] = at
    return count


@_compiled
def push(nodes, edges, table, touched, queue, seeds, masses, alpha, epsilon, least):
    """Signed forward push until no residue exceeds epsilon times its node's weighted degree.

    Residues may have either sign, since x is linear in the seeds. Every seed is pushed once at least: a hub's limit is
    so high that a profile of hubs would give nothing otherwise. A record is read only when its node's residue exceeds
    what the node of `least` weighted degree could bear. `table` must be empty, its length a power of two; `queue` is a
    ring as long. A slot's limit is UNKNOWN until it is needed, and negative while the slot is queued.

    Returns:
        Number of `touched` slots; negative when the work space is full and the result useless.
    """
    ring, room, lowest = queue.shape[0] - 1, touched.shape[0], epsilon * least
    count = _plant(nodes, table, touched, queue, seeds, masses, epsilon, lowest)
    head, tail = 0, count
    while head < tail:
        at = queue[head & ring]
        head += 1
        node = table[at].key
        residue = np.float64(table[at].residue)
        table[at].residue = 0.0
        table[at].limit = -table[at].limit
        table[at].estimate += (1.0 - alpha) * residue
        size = np.int64(nodes[node].size)
        if count + size > room:
            return -count
        share = alpha * residue / max(nodes[node].degree, least)
        start = np.int64(nodes[node].start)
        for edge in range(start, start + size):
            other, count = _slot(table, touched, count, edges[edge].target)
            grown = table[other].residue + share * edges[edge].weight
            table[other].residue = grown
            height = abs(grown)
            if height > lowest and table[other].limit >= 0.0:
                if table[other].limit == UNKNOWN:
                    table[other].limit = epsilon * nodes[table[other].key].degree
                if height > table[other].limit:
                    table[other].limit = -table[other].limit
                    queue[tail & ring] = other
                    tail += 1
    return count


@_compiled
def reset(table, touched, count):
    """Empties the slots in use."""
    for index in range(count):
        table[touched[index]].key = EMPTY


@_compiled
def _value(table, node, share):
    """What the push knows of x at a node: the estimate and a share of the residue."""
    mask = table.shape[0] - 1
    at = ((np.int64(node) * 2654435769) >> 12) & mask
    while table[at].key != node:
        if table[at].key == EMPTY:
            return 0.0
        at = (at + 1) & mask
    return np.float64(table[at].estimate) + share * table[at].residue


@_compiled
def _pulled(nodes, edges, table, node, seeds, masses, alpha, share, depth):
    start, size = np.int64(nodes[node].start), np.int64(nodes[node].size)
    if size > WIDE:
        return _value(table, node, 1.0 - alpha)
    if depth == 0:
        return _value(table, node, share)
    own = 0.0
    for index in range(seeds.shape[0]):
        if seeds[index] == node:
            own = masses[index]
    total = 0.0
    for edge in range(start, start + size):
        other = np.int64(edges[edge].target)
        value = _pulled(nodes, edges, table, other, seeds, masses, alpha, share, depth - 1)
        total += edges[edge].weight * value / nodes[other].degree
    return (1.0 - alpha) * own + alpha * total


@_compiled
def pull(nodes, edges, table, wanted, seeds, masses, alpha, share, depth):
    """Jacobi steps for some nodes alone: x of each from what the push knows around it.

    Args:
        nodes: node records.
        edges: edge records.
        table: work space after `push`.
        wanted: node indices.
        seeds: the seeds of the push.
        masses: their masses.
        alpha: probability of walking on.
        share: part of a residue that is taken to end at its node.
        depth: number of steps; a node with more than WIDE edges is not pulled for the sake of others.
    """
    found = np.empty(wanted.shape[0], dtype=np.float64)
    for index in range(wanted.shape[0]):
        found[index] = _pulled(nodes, edges, table, wanted[index], seeds, masses, alpha, share, depth)
    return found


@_compiled
def _sift(best, scores, kept, node, score):
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
def _eligible(nodes, node, domain, barred, allowed):
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
def shortlist(nodes, table, touched, count, share, domain, barred, allowed, gamma, prior_total, leaders, size):
    """The best items by what the push knows, among touched items and the best known ones; node indices, best first.

    Args:
        nodes: node records.
        table: work space after `push`.
        touched: slots in use.
        count: how many.
        share: part of a residue that is taken to end at its node.
        domain: code of the wanted domain.
        barred: sorted indices of nodes never to be shown.
        allowed: one flag a node, or empty when every item of the domain is allowed.
        gamma: weight of popularity.
        prior_total: sum of the domain's priors.
        leaders: items by descending prior.
        size: number of items wanted.
    """
    best = np.empty(size, dtype=np.int64)
    scores = np.empty(size, dtype=np.float64)
    kept = 0
    known = gamma / prior_total if prior_total > 0 else 0.0
    most = known * nodes[leaders[0]].prior if leaders.shape[0] > 0 else 0.0
    for index in range(count):
        at = touched[index]
        score = (1.0 - gamma) * (table[at].estimate + share * table[at].residue)
        if kept == size and score + most <= scores[kept - 1]:
            continue
        node = table[at].key
        score += known * nodes[node].prior
        if (kept < size or score > scores[kept - 1]) and _eligible(nodes, node, domain, barred, allowed):
            kept = _sift(best, scores, kept, node, score)
    for index in range(leaders.shape[0]):
        node = leaders[index]
        score = known * nodes[node].prior
        if kept == size and score <= scores[kept - 1]:
            break
        if _eligible(nodes, node, domain, barred, allowed) and _value(table, node, share) == 0.0:
            kept = _sift(best, scores, kept, node, score)
    return best[:kept]


# ------------------------------------------------------------------------------------------------------ exact solution


@_compiled
def gauss_seidel(nodes, edges, count, seeds, alpha, tolerance, limit):
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
