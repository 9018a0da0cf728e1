"""The loops over the compiled graph, compiled by numba."""
