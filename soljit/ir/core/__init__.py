"""What a program consists of: types, expressions, operations, containers, nodes, signatures."""
