"""Programs as users write them, of many fields: none of them is among NPBench's."""
