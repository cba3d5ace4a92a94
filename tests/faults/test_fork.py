"""A forked child predicts, whatever the threads of its parent were doing."""

import subprocess
import sys

# A thread makes the weights of one model again and again; the child makes those of another.
PROGRAM = """
import os, threading
import numpy as np
from wordodds import MultinomialNB

X, y = np.ones((40, 20_000)), np.arange(40)
busy = MultinomialNB(n_jobs=1).partial_fit(X, y, classes=y)
other = MultinomialNB(n_jobs=1).partial_fit(X[:2], y[:2], classes=y)

def weigh():
    while True:
        busy.partial_fit(X[:1], y[:1]).predict(X[:1])

threading.Thread(target=weigh, daemon=True).start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        other.predict(X[:1])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
os._exit(0)
"""


def test_a_child_makes_weights_while_a_thread_of_the_parent_does():
    subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], check=True, timeout=120)


# A thread makes the table by which a vectorizer finds its words; the child needs it as well.
FIRST_TRANSFORM = """
import os, signal, threading, time
from wordodds import CountVectorizer

words = [" ".join(f"w{i}" for i in range(k, k + 10_000)) for k in range(0, 300_000, 10_000)]
for turn in range(4):
    vectorizer = CountVectorizer(n_jobs=1).fit(words)
    thread = threading.Thread(target=vectorizer.transform, args=(["w5"],))
    thread.start()
    time.sleep(0.002 * turn)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(int(vectorizer.transform(["w5"]).sum() != 1))
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
"""


def test_a_child_finds_words_while_a_thread_of_the_parent_makes_their_table():
    program = [sys.executable, "-W", "ignore", "-c", FIRST_TRANSFORM]
    subprocess.run(program, check=True, timeout=120)
