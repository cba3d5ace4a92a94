"""The experiments themselves, a module each; see `wordodds.experiments.reproduce`."""
