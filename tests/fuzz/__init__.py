"""Any bytes as input: every reader, and everything on the way of a message."""
