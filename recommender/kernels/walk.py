"""The loops over the compiled graph. They live in one file because numba's cache does not see changes elsewhere.

`nodes` and `edges` are the record arrays of `recommender.compiled`, `table` is the work space of `recommender.walk`.
The walk is x = (1 - alpha) s + alpha W D^-1 x, with s the seeds, W the weighted adjacency and D the weighted degrees.
"""

import numpy as np

from recommender.kernels.jit import compiled, prefetch

EMPTY = -1
"""Key of an unused slot of the work space."""

WIDE = 1000
"""Nodes with more edges than this are taken as the push left them."""

UNKNOWN = 0.0
"""Limit of a slot whose node has not been read yet."""

_AHEAD = 8
"""A slot is fetched so many places before its turn: what a large graph costs is mostly waiting for memory."""

_SOON = 4
"""The edges of a queued node are fetched so many places before its turn."""


@compiled
def _home(table, node):
    """Slot in which the search for a node begins."""
    return ((np.int64(node) * 2654435769) >> 12) & (table.shape[0] - 1)


@compiled
def _slot(table, touched, count, node):
    """Slot of a node in the work space, made on first touch; the number of touched slots follows it."""
    mask, at = table.shape[0] - 1, _home(table, node)
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


@compiled
def _plant(nodes, table, touched, queue, seeds, masses, epsilon, lowest):
    """Queues every seed with its mass; returns how many there are."""
    count = 0
    for index in range(seeds.shape[0]):
        at, count = _slot(table, touched, count, seeds[index])
        table[at].residue = masses[index]
        table[at].limit = -max(epsilon * nodes[seeds[index]].degree, lowest)
        queue[index] = at
    return count


@compiled
def _spread(nodes, edges, table, touched, queue, count, tail, node, share, lowest):
    """Adds a share to the residues of all neighbours; those that may be pushed are noted behind the queue.

    Returns:
        The end of these notes, and the new number of touched slots.
    """
    ring, end = queue.shape[0] - 1, tail
    start = np.int64(nodes[node].start)
    stop = start + np.int64(nodes[node].size)
    for edge in range(start, stop):
        if edge + _AHEAD < stop:
            prefetch(table, _home(table, edges[edge + _AHEAD].target))
        at, count = _slot(table, touched, count, edges[edge].target)
        grown = table[at].residue + share * edges[edge].weight
        table[at].residue = grown
        height, limit = abs(grown), table[at].limit
        if limit >= 0.0 and height > lowest and height > limit:
            if limit == UNKNOWN:
                prefetch(nodes, np.int64(edges[edge].target))
            queue[end & ring] = at
            end += 1
    return end, count


@compiled
def _queued(nodes, table, queue, tail, end, epsilon):
    """Queues those noted behind the queue whose residue exceeds their limit; returns the new end of the queue."""
    ring = queue.shape[0] - 1
    for place in range(tail, end):
        at = queue[place & ring]
        if table[at].limit == UNKNOWN:
            table[at].limit = epsilon * nodes[table[at].key].degree
        if abs(table[at].residue) > table[at].limit:
            table[at].limit = -table[at].limit
            queue[tail & ring] = at
            tail += 1
    return tail


@compiled
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
        if head + _SOON < tail:
            soon = np.int64(nodes[table[queue[(head + _SOON) & ring]].key].start)
            prefetch(edges, soon)
            prefetch(edges, soon + 8)
        at = queue[head & ring]
        head += 1
        node = table[at].key
        residue = np.float64(table[at].residue)
        table[at].residue = 0.0
        table[at].limit = -table[at].limit
        table[at].estimate += (1.0 - alpha) * residue
        if count + np.int64(nodes[node].size) > room:
            return -count
        share = alpha * residue / max(nodes[node].degree, least)
        end, count = _spread(nodes, edges, table, touched, queue, count, tail, node, share, lowest)
        tail = _queued(nodes, table, queue, tail, end, epsilon)
    return count


@compiled
def reset(table, touched, count):
    """Empties the slots in use."""
    for index in range(count):
        if index + _AHEAD < count:
            prefetch(table, np.int64(touched[index + _AHEAD]))
        table[touched[index]].key = EMPTY


@compiled
def mark(flags, nodes, value):
    """Sets the flags of some nodes."""
    for index in range(nodes.shape[0]):
        flags[nodes[index]] = value


@compiled
def _value(table, node, share):
    """What the push knows of x at a node: the estimate and a share of the residue."""
    mask, at = table.shape[0] - 1, _home(table, node)
    while table[at].key != node:
        if table[at].key == EMPTY:
            return 0.0
        at = (at + 1) & mask
    return np.float64(table[at].estimate) + share * table[at].residue


@compiled
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


@compiled
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


@compiled
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


@compiled
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


@compiled
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
    best, scores, kept = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.float64), 0
    known = gamma / prior_total if prior_total > 0 else 0.0
    most = known * nodes[leaders[0]].prior if leaders.shape[0] > 0 else 0.0
    for index in range(count):
        if index + _AHEAD < count:
            prefetch(table, np.int64(touched[index + _AHEAD]))
        at = touched[index]
        score = (1.0 - gamma) * (table[at].estimate + share * table[at].residue)
        node = table[at].key
        if (kept == size and score + most <= scores[kept - 1]) or (allowed.shape[0] > 0 and allowed[node] == 0):
            continue
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


@compiled
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
