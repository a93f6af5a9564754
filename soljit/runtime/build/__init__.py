"""From generated C++ to a library: the compiler, the dispatcher in C, what headers declare."""
