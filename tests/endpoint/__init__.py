"""A real SPARQL server with Wikidata's vocabulary, and a proxy before it that misbehaves on demand."""
