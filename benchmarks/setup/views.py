"""Two ways of reading a text side by side: words and pairs of them, characters within words."""

VIEWS = {"word": (1, 2), "char_wb": (3, 5)}
