"""Building catalogues: from a folder of facts, an endpoint, files and dumps."""
