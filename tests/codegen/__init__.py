"""Code generation alone: programs in, C++ out, compiled and called without the runtime."""
