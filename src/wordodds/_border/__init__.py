"""What stands between a caller and the engine: every argument is checked here, once.

`execution` turns n_jobs into threads; `structure` and `csr` check matrices; `labels`, `classes` and
`row_weights` make arrays of labels and weights; `documents`, `terms`, `pattern` and `stem` prepare
text.
"""
