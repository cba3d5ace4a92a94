"""Stochastic gradient descent: `classifier.py` is the door, the rest are its parts.

Nothing is imported here: `solvers/sgd.py` needs `epochs` and `state` before the classifier exists.
"""
