"""The table of jobs: what each benchmark group is called, and what it must reach.

Ratios are to the fastest peer of the same run on as many threads, for 1 and for 2 threads. The
floor is what the project promises, the target what it wants. A group may serve two rows that look
at different peers. Where the promise is a time and not a ratio it is a limit, in seconds.
"""

from typing import NamedTuple


class Goal(NamedTuple):
    """A ratio for 1 and for 2 threads; None where nothing is asked."""

    one: float | None = None
    two: float | None = None


class Job(NamedTuple):
    """A row of the report."""

    group: str  # of pytest-benchmark
    title: str
    floor: Goal = Goal()
    target: Goal = Goal()
    peers: tuple[str, ...] | None = None  # how their names begin; None: all but Numba
    limit: float | None = None


class Family(NamedTuple):
    """The jobs of one suite, and the data they work on."""

    title: str
    about: str
    jobs: list[Job]


def both(ratio):
    """Return the same goal for any number of threads."""
    return Goal(ratio, ratio)


NUMBA = ("Numba",)
COUNTS, PREDICTED = (both(5), both(10)), (Goal(2, 3), Goal(4, 7))

FAMILIES = {
    "text": Family(
        "Counting words",
        "raw 20 Newsgroups messages, train part: 11,314 documents, 22 MB",
        [
            Job("count", "`CountVectorizer().fit_transform`", Goal(12, 20), Goal(25, 45)),
            Job("transform", "`transform`, fitted vocabulary", Goal(15, 25), Goal(30, 55)),
            Job("bigrams", "`ngram_range=(1, 2)`", Goal(10, 15), Goal(20, 35)),
            Job("char_wb", '`analyzer="char_wb"`, 2 to 4', Goal(12, 20), Goal(25, 45)),
            Job("hashing", "`HashingVectorizer`", Goal(15, 25), Goal(30, 55)),
            Job("tfidf", "`TfidfVectorizer`", Goal(12, 20), Goal(25, 45)),
            # Within 20 % of what the same job must reach on the messages as they are.
            Job("count_greek_and_cyrillic", "every letter Greek or Cyrillic", Goal(9.6, 16)),
            Job("transform_greek_and_cyrillic", "the same, `transform`", Goal(12, 20)),
            Job("strip_accents", '`strip_accents="unicode"`, the same'),
            Job("one_short_document", "`transform` of one short document", both(5), both(20)),
        ],
    ),
    "bayes": Family(
        "Naive Bayes",
        "word counts of the same messages, 130,107 words, 20 classes; `predict` of the 7,532 test "
        "documents; the last four on the 300 most frequent words as dense columns",
        [
            Job("fit, MultinomialNB", "`MultinomialNB.fit`", *COUNTS),
            Job("predict, MultinomialNB", "`MultinomialNB.predict`", *PREDICTED),
            Job("fit, ComplementNB", "`ComplementNB.fit`", *COUNTS),
            Job("predict, ComplementNB", "`ComplementNB.predict`", *PREDICTED),
            Job("fit, BernoulliNB", "`BernoulliNB.fit`"),
            Job("predict, BernoulliNB", "`BernoulliNB.predict`", Goal(4, 6), Goal(8, 14)),
            Job("columns_fit, CategoricalNB", "`CategoricalNB.fit`", both(1)),
            Job("columns_predict, CategoricalNB", "`CategoricalNB.predict`", both(1)),
            Job("columns_fit, GaussianNB", "`GaussianNB.fit`", both(1)),
            Job("columns_predict, GaussianNB", "`GaussianNB.predict`", both(1)),
        ],
    ),
    "linear": Family(
        "Logistic regression",
        "sublinear tf-idf of the same messages, C = 10; time until the objective is within the "
        "stated gap (relative) of the optimum",
        [
            Job("softmax to 0.0001", "softmax, 20 classes, to 1e-4", Goal(4, 6), both(10)),
            Job("softmax to 1e-07", "softmax, 20 classes, to 1e-7", Goal(4, 6), both(10)),
            Job("one_vs_rest", "one-vs-rest, to 1e-4", Goal(1, 1.5), both(3)),
            Job("two_groups with intercept", "two groups, to 1e-6", Goal(2, 3), both(5)),
            Job("two_groups without intercept", "two groups, no intercept", Goal(2, 3), both(5)),
            Job("l1, two groups", "L1, two groups, to 1e-4", both(1.5), both(4)),
            Job("l1, one against all", "L1, one against all, to 1e-4", both(1.5), both(4)),
            Job("l1_softmax", "L1, softmax, against 25 epochs of saga"),
            *(
                Job(
                    f"irls, {columns} columns, {classes} classes",
                    f"IRLS, {columns} dense columns, {classes} classes",
                    both(1.5),
                    both(4),
                )
                for classes in (2, 20)
                for columns in (30, 50)
            ),
            Job(
                "log_loss, float64, to the same accuracy",
                "SGD log loss, equal accuracy",
                both(4),
                both(10),
            ),
            Job(
                "log_loss, float32, to the same accuracy",
                'the same, `dtype="float32"`',
                both(4),
                both(10),
            ),
            Job("log_loss, float64, own stopping rule", "SGD, each by its own stopping rule"),
        ],
    ),
    "classifier": Family(
        "From raw text",
        "7,532 test documents, 13.8 MB; models trained on the train part",
        [
            Job("label_naive_bayes", "label, counts + naive Bayes", Goal(15, 25), Goal(30, 55)),
            Job(
                "label_tfidf_bigrams_logistic",
                "label, tf-idf of bigrams + LR",
                Goal(12, 20),
                Goal(25, 45),
            ),
            Job(
                "label_from_sklearn", "label, `from_sklearn(pipeline)`", Goal(12, 20), Goal(25, 45)
            ),
            Job("label_one_short_text", "label one short text", both(20), both(50)),
            Job(
                "train_default",
                "train the default, against bigrams + LinearSVC",
                both(5),
                both(10),
                ("scikit-learn",),
            ),
            Job("train_default", "the same, against the fastest of all", both(1)),
            Job("train_words", "train it with a given C"),
            Job(
                "train_short, trec6",
                "train on questions, against LinearSVC with C tuned",
                both(3),
                both(10),
            ),
            Job("train_short, subjectivity", "the same on sentences", both(3), both(10)),
            Job(
                "predict_100_000_lines",
                "`wordodds predict`, 100,000 lines, process",
                Goal(None, 1),
                Goal(None, 2),
            ),
            Job("load_verified", "load a million terms, checksum compared", limit=0.1),
            Job("load_unverified", "load a million terms, `verify=False`", limit=0.02),
        ],
    ),
    "fasttext": Family(
        "fastText's models",
        "brought in by `from_fasttext`; 7,532 test documents in words, a line each, as a list of "
        "texts; fastText has one thread; 176 made-up languages of 250 lines each",
        [
            Job("fasttext_two_classes", "two classes, bigrams, 854 MB", Goal(5, 9), Goal(12, 22)),
            Job("fasttext_twenty_classes", "20 classes, single words", Goal(3), Goal(8)),
            Job("fasttext_languages, softmax", "176 classes, subwords 2-4", Goal(1.5), Goal(4)),
            Job("fasttext_languages, hs", "the same, hierarchical softmax", Goal(1.5), Goal(4)),
            Job("fasttext_load", "load the two-class model", Goal(50), Goal(500)),
        ],
    ),
    "experiments": Family(
        "Experiments",
        "truncated SVD until every singular value is right to 1e-6; counts of 18,774 documents and "
        "61,188 words, tf-idf of the train part; a learning curve on 30 of its columns, 20 classes",
        [
            *(
                Job(
                    f"truncated_svd, {matrix}, {k} components",
                    f"`TruncatedSVD({k})`, {matrix}",
                    both(3),
                )
                for matrix, k in (("counts", 50), ("tf-idf", 50), ("tf-idf", 100))
            ),
            Job("learning_curve", "`learning_curve`, Gaussian NB and LR"),
        ],
    ),
}

# What C++ buys over a jitted loop; ours does the work of the whole call, checks of input included.
TWIN_JOBS = [
    Job("scores, MultinomialNB", "naive Bayes scores, 7,532 documents", peers=NUMBA),
    Job("softmax_value_and_gradient", "softmax, value and gradient", peers=NUMBA),
    Job("softmax_hessian_product", "softmax, product with the Hessian", peers=NUMBA),
    Job("sgd_epoch", "one epoch of SGD, log loss", peers=NUMBA),
]


def all_jobs():
    """Return the rows of all tables."""
    return [*(job for family in FAMILIES.values() for job in family.jobs), *TWIN_JOBS]
