"""Reading the compiled graph and inserting into it: `nodes` and `edges` are the arrays of `recommender.compiled`."""

import numpy as np

from recommender.kernels.jit import compiled


@compiled
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


@compiled
def edge_weight(nodes, edges, one, other):
    """Weight of the edge between two nodes, 0 when there is none; looks through the shorter of the two lists."""
    if nodes[one].size > nodes[other].size:
        one, other = other, one
    start = np.int64(nodes[one].start)
    for at in range(start, start + np.int64(nodes[one].size)):
        if edges[at].target == other:
            return np.float64(edges[at].weight)
    return 0.0


@compiled
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


@compiled
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


@compiled
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
