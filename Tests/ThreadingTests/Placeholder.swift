// Written with the module.
