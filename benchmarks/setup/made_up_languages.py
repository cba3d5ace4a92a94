"""Made-up languages: what a language identifier is trained on and asked about.

Each has letters of one of several scripts, a chain by which one letter follows another, and words
drawn from it, the frequent ones over and over. New lines have new words too.
"""

import numpy as np

N_LANGUAGES = 176  # the number that fastText's own identifier has
SCRIPTS = [(0x61, 26), (0x61, 26), (0x3B1, 25), (0x430, 32), (0x5D0, 27), (0x627, 36), (0x905, 50)]
N_LETTERS = 14
N_WORDS = 400


class Language:
    """A lexicon, and the chain of letters that it came from."""

    def __init__(self, number):
        self.name = f"x{number:03d}"
        self._random = np.random.default_rng(number)
        first, n = SCRIPTS[number % len(SCRIPTS)]
        letters = self._random.choice(n, min(N_LETTERS, n), replace=False) + first
        self._letters = [chr(letter) for letter in letters]
        self._chain = self._random.dirichlet(np.full(len(letters), 0.3), size=len(letters))
        self._lexicon = [self._word() for _ in range(N_WORDS)]
        share = 1.0 / np.arange(1, N_WORDS + 1)
        self._share = share / share.sum()

    def _word(self):
        letter = self._random.integers(len(self._letters))
        word = []
        for _ in range(self._random.integers(2, 10)):
            word.append(self._letters[letter])
            letter = self._random.choice(len(self._letters), p=self._chain[letter])
        return "".join(word)

    def lines(self, n_lines, new_words=0.0):
        """Return lines of 12 words, a share of which the lexicon does not have."""
        lines = []
        for _ in range(n_lines):
            known = self._random.choice(N_WORDS, 12, p=self._share)
            is_new = self._random.random(12) < new_words
            words = [
                self._word() if new else self._lexicon[i]
                for i, new in zip(known, is_new, strict=True)
            ]
            lines.append(" ".join(words))
        return lines


def corpus(n_train, n_new):
    """Return (train, new) pairs of lines and languages; a fifth of the new words is unknown."""
    train, new = [], []
    for number in range(N_LANGUAGES):
        language = Language(number)
        train += [(line, language.name) for line in language.lines(n_train)]
        new += [(line, language.name) for line in language.lines(n_new, new_words=0.2)]
    return train, new
