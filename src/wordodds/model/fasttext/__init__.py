"""fastText's classifiers: their files, how they read text, and what becomes of their weights.

`convert` is the door. Nothing is imported here: a model needs `reading` alone to score text.
"""
