"""Bindings of the C++ engine, one module per family; private."""
