"""What stands between a caller and the engine: every argument is checked here, once.

`execution` turns n_jobs into threads; `checks` looks at single numbers and words; `structure` and
`csr` check matrices; `labels`, `classes` and `row_weights` make arrays of labels and weights;
`documents`, `terms`, `analyzer` and `stem` prepare text.
"""
