"""Speaking with a SPARQL endpoint in Wikidata's vocabulary: politely, in time, trusting nothing it answers."""
