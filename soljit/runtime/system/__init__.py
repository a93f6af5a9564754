"""The operating system, the interpreter and the compilers: processes, shared libraries, folders, versions."""
