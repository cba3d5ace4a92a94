"""Every public call, on small data, by name: what is public and not called here is reported."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tests.hard.mail import make_mail, write_corpus

__all__ = ["READING", "missing_calls", "public_calls"]

TEXTS, LABELS = make_mail(90)
# Methods that leave the object as it is, so that threads may share it.
READING = {
    "predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "joint_log_proba",
    "log_marginal", "decision_function", "score", "log_odds", "top_features", "sample", "transform",
    "inverse_transform", "get_feature_names_out", "predict_top", "predict_arrow", "predict_above",
    "predict_stream", "evaluate", "explain", "threshold_for", "describe",
}  # fmt: skip
# Inherited from scikit-learn, or of a protocol, with nothing of ours in them.
_NOT_OURS = {"get_params", "set_params", "get_metadata_routing", "set_output"}
# Parts of LinearModel that explanations are made of, and called by explain.
_PARTS = {"code_of", "contrast", "ranked"}
_WITHOUT_CALLS = {
    "ModelFileError",  # an exception
    "show_config",  # prints
    "custom_loss", "custom_link",  # compile machine code, which stays; their fits are called
    "corpora", "dask", "datasets", "experiments",  # modules: see their calls below
}  # fmt: skip

Calls = dict[str, Callable[[], Any]]


def public_calls(folder: Path) -> Calls:
    """Return a call for each public method and function; files go into the folder."""
    import wordodds as w

    names = ("MultinomialNB", "BernoulliNB", "ComplementNB", "CategoricalNB", "GaussianNB")
    linear = ("LogisticRegression", "NBLogisticRegression", "SGDClassifier", "BinaryRegression")
    others = ("GaussianDiscriminant", "FisherDiscriminant", "TruncatedSVD", "TfidfTransformer")
    calls: Calls = {}
    for name in (*names, *linear, *others):
        calls |= _matrix_calls(getattr(w, name), name)
    for name in ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer"):
        calls |= _vectorizer_calls(getattr(w, name), name)
    calls |= _solver_calls()
    calls |= _text_classifier_calls(folder)
    calls |= _linear_model_calls(folder)
    calls |= _function_calls(folder)
    return calls


def missing_calls(calls: Calls) -> list[str]:
    """Return the public names that no call is made of."""
    import wordodds

    missing = []
    for name in wordodds.__all__:
        public = getattr(wordodds, name)
        if name in _WITHOUT_CALLS or isinstance(public, str):
            continue
        if not inspect.isclass(public):
            missing += [] if name in calls else [name]
            continue
        for method in dir(public):
            ours = not method.startswith(("_", "set_")) and method not in _NOT_OURS | _PARTS
            if ours and callable(getattr(public, method)) and f"{name}.{method}" not in calls:
                missing.append(f"{name}.{method}")
    return missing


def _small_matrix() -> tuple[Any, Any]:
    from wordodds import CountVectorizer

    return CountVectorizer(min_df=4).fit_transform(TEXTS), np.array(LABELS)


def _matrix_calls(kind: Any, name: str) -> Calls:
    X, y = _small_matrix()
    if name in ("GaussianNB", "CategoricalNB", "GaussianDiscriminant", "FisherDiscriminant"):
        X = np.random.default_rng(0).normal(size=(len(y), 6)) + (y == "spam")[:, None]
        X = (X > 0).astype(np.int64) if name == "CategoricalNB" else X
    if name in ("BinaryRegression", "FisherDiscriminant"):
        y = (y == "spam").astype(int)
    options = {"tol": 1e-2} if name in ("LogisticRegression", "BinaryRegression") else {}
    if name == "TruncatedSVD":
        options = {"n_components": 3}
    elif name == "GaussianDiscriminant":
        options = {"covariance": "shared"}
    elif name == "SGDClassifier":
        options = {"loss": "log_loss", "random_state": 0}

    def new() -> Any:
        return kind(**options, **threads)

    threads = {"n_jobs": 2} if "n_jobs" in kind().get_params() else {}
    fitted = new().fit(X, y)
    arguments: dict[str, tuple[Any, ...]] = {
        "score": (X, y),
        "log_odds": (1, y[0]),
        "top_features": (3,),
        "get_feature_names_out": (),
        "sample": (5,),
    }
    calls: Calls = {
        "fit": lambda: new().fit(X, y),
        "partial_fit": lambda: new().partial_fit(X, y, classes=np.unique(y)),
        "forget": lambda: new().fit(X, y).forget(X[:5], y[:5]),
        "merge": lambda: new().fit(X, y).merge(fitted),
        "fit_transform": lambda: new().fit_transform(X, y),
    }
    if name == "TruncatedSVD":
        arguments["inverse_transform"] = (fitted.transform(X),)
    for method in READING:
        if hasattr(fitted, method):
            given = arguments.get(method, (X,))
            more = {"random_state": 0} if method == "sample" else {}
            calls[method] = partial(getattr(fitted, method), *given, **more)
    return {f"{name}.{method}": call for method, call in calls.items() if hasattr(fitted, method)}


def _solver_calls() -> Calls:
    """Return fits by each solver and loss, sparse and dense."""
    from wordodds import BinaryRegression, LogisticRegression, SGDClassifier

    X, y = _small_matrix()
    calls: Calls = {}
    rows = {"sparse": X.astype(float), "dense": X[:, :20].toarray().astype(float)}
    for form, matrix in rows.items():
        for solver in ("irls", "newton-cg", "lbfgs", "cg", "gd", "sgd", "sag", "dual"):
            model = LogisticRegression(solver=solver, tol=0.3, n_jobs=2)
            calls[f"LogisticRegression {solver} {form}"] = partial(model.fit, matrix, y)
        l1 = LogisticRegression(l1_ratio=1.0, tol=1e-2, n_jobs=2)
        calls[f"LogisticRegression L1 {form}"] = partial(l1.fit, matrix, y)
        for link in ("probit", "cloglog"):
            binary = BinaryRegression(link=link, tol=1e-2, n_jobs=2)
            calls[f"BinaryRegression {link} {form}"] = partial(binary.fit, matrix, y == "spam")
        for loss in ("hinge", "softmax", "modified_huber"):
            sgd = SGDClassifier(loss=loss, random_state=0)
            calls[f"SGDClassifier {loss} {form}"] = partial(sgd.fit, matrix, y)
    return calls


def _vectorizer_calls(kind: Any, name: str) -> Calls:
    def new(**options: Any) -> Any:
        return kind(n_jobs=2, **options)

    fitted = new().fit(TEXTS)
    matrix = fitted.transform(TEXTS)
    calls: Calls = {
        "fit": lambda: new().fit(TEXTS),
        "fit_transform": lambda: new().fit_transform(TEXTS),
        "transform": partial(fitted.transform, TEXTS),
        "partial_fit": lambda: new().partial_fit(TEXTS),
        "merge": lambda: new().partial_fit(TEXTS).merge(new().partial_fit(TEXTS[:9])),
        "inverse_transform": lambda: fitted.inverse_transform(matrix),
        "get_feature_names_out": lambda: fitted.get_feature_names_out(),
        "decode": partial(fitted.decode, b"bytes"),
        "get_stop_words": fitted.get_stop_words,
        "build_analyzer": lambda: fitted.build_analyzer()(TEXTS[0]),
        "build_preprocessor": lambda: fitted.build_preprocessor()(TEXTS[0]),
        "build_tokenizer": lambda: fitted.build_tokenizer()(TEXTS[0]),
    }
    found = {f"{name}.{method}": call for method, call in calls.items() if hasattr(fitted, method)}
    grid: dict[str, dict[str, Any]] = {
        "char": {"analyzer": "char", "ngram_range": (1, 3)},
        "char_wb": {"analyzer": "char_wb", "ngram_range": (2, 3)},
        "unicode_word": {"analyzer": "unicode_word", "strip_accents": "unicode"},
        "python": {"tokenizer": str.split, "token_pattern": None},
        "stop words": {"stop_words": "english", "ngram_range": (1, 2)},
    }
    for what, options in grid.items():
        found[f"{name} {what}"] = lambda options=options: new(**options).fit_transform(TEXTS)
    return found


def _text_classifier_calls(folder: Path) -> Calls:
    from wordodds import TextClassifier

    def new(**options: Any) -> Any:
        return TextClassifier("naive_bayes", n_jobs=2, **options)

    fitted, classes = new().fit(TEXTS, LABELS), sorted(set(LABELS))
    batches = [(TEXTS[:40], LABELS[:40]), (TEXTS[40:], LABELS[40:])]
    calls: Calls = {
        "fit": lambda: new().fit(TEXTS, LABELS),
        "partial_fit": lambda: new(n_hashed=256).partial_fit(TEXTS, LABELS, classes=classes),
        "fit_stream": lambda: new().fit_stream(batches, memory="8GB", folder=str(folder)),
        "tune": lambda: new(min_df=1, weighting="counts").tune(TEXTS, LABELS, trials=2),
        "calibrate": lambda: new().fit(TEXTS, LABELS).calibrate(TEXTS, LABELS),
        **_scoring_calls(fitted, folder / "classifier.wordodds"),
    }
    found = {f"TextClassifier.{method}": call for method, call in calls.items()}
    for model in ("nb_logistic", "logistic", "complement"):
        classifier = TextClassifier(model, n_jobs=2)
        found[f"TextClassifier {model}"] = partial(classifier.fit, TEXTS, LABELS)
        found[f"TextClassifier {model} stream"] = partial(
            classifier.fit_stream, batches, memory="8GB", folder=str(folder)
        )
    return found


def _scoring_calls(model: Any, path: Path) -> Calls:
    """Return the calls that TextClassifier and LinearModel share."""
    return {
        "predict": partial(model.predict, TEXTS),
        "predict_proba": partial(model.predict_proba, TEXTS),
        "decision_function": partial(model.decision_function, TEXTS),
        "predict_top": partial(model.predict_top, TEXTS, 2),
        "predict_arrow": partial(model.predict_arrow, TEXTS),
        "predict_stream": lambda: list(model.predict_stream([TEXTS, TEXTS], proba=True)),
        "score": partial(model.score, TEXTS, LABELS),
        "evaluate": partial(model.evaluate, TEXTS, LABELS),
        "explain": lambda: str(model.explain(TEXTS[1])),
        "top_features": lambda: str(model.top_features(n=3)),
        "log_odds": partial(model.log_odds, 0, "spam"),
        "threshold_for": partial(
            model.threshold_for, "spam", precision=0.5, texts=TEXTS, labels=LABELS
        ),
        "save": partial(model.save, path),
    }


def _linear_model_calls(folder: Path) -> Calls:
    from wordodds import TextClassifier, load

    fitted = TextClassifier("logistic", n_jobs=2).fit(TEXTS, LABELS)
    fitted.save(folder / "loaded.wordodds")
    model = load(folder / "loaded.wordodds")
    calls = {
        **_scoring_calls(model, folder / "model.wordodds"),
        "predict_above": partial(model.predict_above, TEXTS, 0.2),
        "describe": model.describe,
    }
    for method in ("temperature", "platt", "isotonic"):
        calls[f"calibrate {method}"] = partial(model.calibrate, TEXTS, LABELS, method)
    calls["calibrate"] = calls.pop("calibrate temperature")
    found = {f"LinearModel.{method}": call for method, call in calls.items()}
    for mmap in (True, False):
        found[f"load mmap={mmap}"] = partial(load, folder / "loaded.wordodds", mmap=mmap)
    found["load"] = found.pop("load mmap=True")
    return found


def _function_calls(folder: Path) -> Calls:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from tests.model.fasttext.models import hand_made

    from wordodds import (
        BinaryRegression,
        custom_loss,
        datasets,
        experiments,
        from_fasttext,
        from_sklearn,
    )
    from wordodds import MultinomialNB as OurNB
    from wordodds.cli import main
    from wordodds.corpora import read, write

    pipeline = make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, LABELS)
    fasttext = hand_made().write(folder / "made.bin")
    X, y = _small_matrix()
    squared = custom_loss(
        lambda y, raw: 0.5 * (raw - y) ** 2, lambda y, raw: raw - y, lambda y, raw: 1.0
    )
    custom = BinaryRegression(loss=squared, tol=1e-2)
    calls: Calls = {
        "from_sklearn": partial(from_sklearn, pipeline),
        "from_fasttext": partial(from_fasttext, fasttext),
        "fit with custom_loss": partial(custom.fit, X.astype(float), y == "spam"),
        "datasets.make_corpus": partial(datasets.make_corpus, 20, 2, n_words=50),
        "experiments.learning_curve": partial(
            experiments.learning_curve, {"nb": OurNB()}, X, y, sizes=(0.5, 1.0), seeds=1
        ),
    }
    for ending in ("jsonl", "csv", "tsv", "parquet", "jsonl.gz", "csv.zst"):
        path = folder / f"corpus.{ending}"
        if ending == "jsonl":
            write_corpus(path, TEXTS, LABELS)
        else:
            write(read(folder / "corpus.jsonl", label="label"), path)
        calls[f"corpora.read {ending}"] = lambda path=path: list(read(path, label="label"))
        calls[f"corpora.write {ending}"] = lambda path=path, ending=ending: write(
            read(path, label="label"), folder / f"copy.{ending}"
        )
    data, model = str(folder / "corpus.jsonl"), str(folder / "cli.wordodds")
    commands = {
        "train": ["train", data, "--output", model],
        "train --memory": ["train", data, "--output", model, "--memory", "8GB"],
        "predict": ["predict", data, "--model", model, "--output", str(folder / "out.jsonl")],
        "evaluate": ["evaluate", data, "--model", model],
        "explain": ["explain", TEXTS[0], "--model", model],
        "inspect": ["inspect", model],
    }
    _command(main, commands["train"])  # the others read its model
    for name, arguments in commands.items():
        calls[f"wordodds {name}"] = partial(_command, main, arguments)
    return calls


def _command(main: Any, arguments: list[str]) -> None:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(arguments) == 0
