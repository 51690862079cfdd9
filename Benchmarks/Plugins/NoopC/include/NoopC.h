// Nothing: a plugin is found by its entry function.
