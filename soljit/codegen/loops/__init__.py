"""Maps and loops as loops of C++: nests, sums in blocks, threads, masks."""
