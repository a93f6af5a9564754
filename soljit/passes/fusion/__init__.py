"""Maps and temporaries made one."""
