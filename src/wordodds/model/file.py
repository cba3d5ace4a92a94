"""Model files: a LinearModel to strings and arrays and back.

`wordodds.model.container` keeps the bytes; here is what they mean. Arrays of format version 1::

    weights        F64 (n_features, 1 or a multiple of 4), the padding zero
    bias           F64 (n_columns,)
    labels         U8, I64, U64 or F64 (n_classes,); text as labels.arena, labels.offsets
    terms.arena    U8, UTF-8 of all terms; terms.offsets I64 (n_terms + 1,)
    terms.slots    U8 (32 * 2^k,), the hash table of wordodds/text/term_table.hpp
    terms.key      U64 (2,), the key of its hash
    norm_weights   F64 (n_features,), if the norm is weighted
    stop_words.*   as labels, if there are any
    calibration.*  as wordodds.model.calibration says, if there is one

and of format version 2, which models have that need any of it::

    weights        F64, F32 or F16, the last of which is read as F32
    factor         F64 (rank, n_columns): weights are (n_features, rank, padded) times it
    tree           I32 (n_classes - 1, 2), as wordodds.model.tree says
    fasttext.*     as wordodds.model.fasttext.reading says; terms.* are its words

and of format version 3, for models with several views (v = 0, 1, ...)::

    terms.*             each term of view v begins with the byte v + 1
    viewV.stop_words.*  the stop words of view v, v >= 1; those of view 0 as in version 1

with the string "views", for each view its name, options and functions (JSON); "features" has the
options of the first one.

Strings are "name", "link", "features" (the options of text, JSON), "callables", "calibration",
"fasttext", "source", what the model was made from, and "chosen", what was chosen on held-out
documents (JSON).
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

import wordodds
from wordodds._border.views import VIEWS_MAX
from wordodds._core import text as core
from wordodds.model.calibration import Calibration
from wordodds.model.container import Container, read_container, write_container
from wordodds.model.errors import ModelFileError, damaged
from wordodds.model.fasttext.reading import FastTextReading
from wordodds.model.features import CALLABLES, SHARED, TextFeatures
from wordodds.model.file_options import OPTIONS, checked_options
from wordodds.model.linear_model import LinearModel
from wordodds.model.links import LinkName, base_link
from wordodds.model.packed_labels import pack_labels, pack_words, unpack_labels, unpack_words
from wordodds.typing import AnyArray

__all__ = ["describe", "load", "save"]

Arrays = Mapping[str, AnyArray]
Plain = TypeVar("Plain", dict[str, Any], list[Any])

_LONGEST_OBJECT = 1 << 16
_OF_FASTTEXT = ("encoding", "decode_error", "missing")
_WEIGHT_TYPES = (np.float64, np.float32, np.float16)


def save(model: LinearModel, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all; of functions in it only the names."""
    features = model.features
    _check_loadable(features)
    stored = model._weights.table.astype(model.dtype, copy=False)
    arrays: dict[str, AnyArray] = {"weights": stored, "bias": model.bias}
    arrays |= pack_labels(model.labels)
    strings = {
        "made_by": f"wordodds {wordodds.__version__}",
        "name": model.name,
        "link": model.link,
        "features": json.dumps(_plain_options(features)),
        "callables": json.dumps({k: _name_of(f) for k, f in _callables_of(features).items()}),
    }
    if features.beside:
        strings["views"] = json.dumps([_plain_view(view) for view in features.views])
        for number, view in enumerate(features.beside, 1):
            if view.stop_words is not None:
                arrays |= pack_words(f"view{number}.stop_words", view.stop_words)
    terms = features.terms if features.fasttext is None else features.fasttext.terms
    if terms is not None:
        arrays |= {
            "terms.arena": np.asarray(terms.arena),
            "terms.offsets": np.asarray(terms.offsets),
            "terms.slots": np.asarray(terms.slots),
            "terms.key": np.array(terms.key, dtype=np.uint64),
        }
    if features.fasttext is not None:
        of_reading, its_arrays = features.fasttext.to_arrays()
        strings["fasttext"] = json.dumps(of_reading)
        arrays |= {f"fasttext.{name}": array for name, array in its_arrays.items()}
    if model._weights.factor is not None:
        arrays["factor"] = model._weights.factor
    if model.tree is not None:
        arrays["tree"] = model.tree
    if model.source is not None:
        strings["source"] = json.dumps(model.source)
    if model.chosen is not None:
        strings["chosen"] = json.dumps(model.chosen)
    if features.stop_words is not None:
        arrays |= pack_words("stop_words", features.stop_words)
    if features.norm_weights is not None:
        arrays["norm_weights"] = features.norm_weights
    if model.calibration is not None:
        of_calibration, its_arrays = model.calibration.to_arrays()
        strings["calibration"] = json.dumps(of_calibration)
        arrays |= {f"calibration.{name}": array for name, array in its_arrays.items()}
    write_container(path, arrays, strings, version=_version_for(model))


def _version_for(model: LinearModel) -> int:
    """Return the least version of the format that can hold the model."""
    news = (model.features.fasttext, model._weights.factor, model.tree, model.source)
    is_old = model.dtype == np.float64 and base_link(model.link) == model.link
    if model.features.beside:
        return 3
    return 1 if is_old and all(new is None for new in news) else 2


def _check_loadable(features: TextFeatures) -> None:
    """Raise before anything is written if `load` would refuse the options."""
    try:
        for view in features.views:
            checked_options(_plain_object(json.dumps(_plain_options(view)), "features"))
        _callables_of(features)
        _plain(json.dumps([_plain_view(view) for view in features.views]), "views", list)
    except ValueError as error:
        raise ValueError(f"a model file cannot hold this model: {error}") from error


def _plain_options(features: TextFeatures) -> dict[str, Any]:
    return {name: getattr(features, name) for name in OPTIONS}


def _plain_view(view: TextFeatures) -> dict[str, Any]:
    """Return the name of a view, its options and those of them that are functions of the user."""
    return {"view": view.view, "options": _plain_options(view), "callables": [*view.callables]}


def _callables_of(features: TextFeatures) -> dict[str, Callable[..., Any]]:
    """Return the functions of all views by option; ValueError if views have different ones."""
    found: dict[str, Callable[..., Any]] = {}
    for view in features.views:
        for option, function in view.callables.items():
            if found.setdefault(option, function) != function:
                raise ValueError(f"its views have different functions as {option}")
    return found


def load(
    path: str | os.PathLike[str],
    *,
    verify: bool = True,
    mmap: bool = True,
    callables: Mapping[str, Callable[..., Any]] | None = None,
) -> LinearModel:
    """Read a model from a file.

    Nothing is built and nothing in the file is executed. A file with wrong numbers in the right
    places gives wrong answers; it never makes the program read or write where it should not.

    Parameters
    ----------
    path : str or path
        What `LinearModel.save` wrote.
    verify : bool, default=True
        Whether to compare the checksum, which reads the whole file.
    mmap : bool, default=True
        Whether to map the file, so that processes share its pages and only those that are used are
        read. Replace a mapped file by another (as saving does), never write into it. False: read it
        into memory.
    callables : mapping of str to callable, or None
        The functions of a user that the model was trained with, by option: "preprocessor",
        "strip_accents", "tokenizer", "analyzer".

    Returns
    -------
    LinearModel
        Ready to predict.

    Raises
    ------
    ModelFileError
        If it is no model file, damaged, made by a newer version, or asks for a function that was
        not given.
    ImportError
        If it has a stemmer and PyStemmer is not installed.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile, wordodds
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> classifier = wordodds.TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     classifier.save(f"{folder}/spam.wordodds")
    ...     model = wordodds.load(f"{folder}/spam.wordodds")
    >>> model.predict(["money for lunch money"])
    array(['spam'], dtype='<U4')
    """
    name = os.fspath(path)
    content = read_container(path, verify=verify, mmap=mmap)
    given = dict(callables or {})
    if wrong := set(given) - set(CALLABLES):
        raise ValueError(f"callables may name {', '.join(CALLABLES)}, got {sorted(wrong)}")
    try:
        model = _model_of(content, given)
    except _MissingCallableError as missing:
        raise ModelFileError(f"{name} {missing}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise damaged(str(name), what) from error
    return model


def describe(model: LinearModel) -> dict[str, Any]:
    """Return what a model is, as plain values."""
    features = model.features
    terms = features.terms if features.fasttext is None else features.fasttext.terms
    return {
        "model": model.name,
        "labels": model.labels.tolist(),
        "features": model.n_features,
        "vocabulary": "hashed" if terms is None else f"{len(terms):,} terms",
        "weights": _weights_of(model),
        "link": model.link,
        "calibration": model.calibration.method if model.calibration else None,
        "text": _text_of(features),
        "stop_words": None if features.stop_words is None else len(features.stop_words),
        "callables": {option: _name_of(f) for option, f in _callables_of(features).items()},
        "source": model.source,
        "chosen": model.chosen,
        "format_version": _version_for(model),
    }


def _text_of(features: TextFeatures) -> dict[str, Any]:
    plain = {**_plain_options(features), "ngram_range": list(features.ngram_range)}
    if features.beside:
        views = {}
        for view in features.views:
            options = {**_plain_options(view), "ngram_range": list(view.ngram_range)}
            views[view.view] = {k: v for k, v in options.items() if k not in SHARED}
        return {**{name: plain[name] for name in SHARED}, "views": views}
    if features.fasttext is None:
        return plain
    # What fastText's reading leaves open; the rest is in its own options.
    options, _ = features.fasttext.to_arrays()
    return {name: plain[name] for name in ("analyzer", *_OF_FASTTEXT)} | options


def _weights_of(model: LinearModel) -> str:
    if model._weights.factor is None:
        return str(model.dtype)
    return f"{model.dtype}, of rank {len(model._weights.factor)}"


class _MissingCallableError(Exception):
    """A function that only its owner can give."""


def _model_of(content: Container, callables: dict[str, Callable[..., Any]]) -> LinearModel:
    strings, arrays = content.metadata, content.tensors
    calibration = None
    if "calibration" in strings:
        of_calibration = _plain_object(strings["calibration"], "calibration")
        calibration = Calibration.from_arrays(of_calibration, _under("calibration.", arrays))
    weights, bias, factor = arrays["weights"], arrays["bias"], arrays.get("factor")
    labels = unpack_labels(arrays)
    if weights.dtype not in _WEIGHT_TYPES or weights.ndim != 2:
        raise ValueError("weights must be a table of float64, float32 or float16")
    if factor is not None and (factor.dtype != np.float64 or 0 in factor.shape):
        raise ValueError("factor must be a table of float64")
    if bias.dtype != np.float64 or bias.ndim != 1:
        raise ValueError("bias must be a row of float64")
    model = LinearModel(
        labels,
        weights,
        bias,
        _features_of(strings, arrays, callables),
        link=cast("LinkName", strings["link"]),
        name=strings["name"],
        calibration=calibration,
        factor=factor,
        tree=arrays.get("tree"),
        source=_plain_object(strings["source"], "source") if "source" in strings else None,
        chosen=_plain_object(strings["chosen"], "chosen") if "chosen" in strings else None,
    )
    n_columns = len(bias) if model.tree is None else model.n_classes
    fits = calibration and (n_columns, base_link(model.link))
    if calibration and (calibration.n_columns, calibration.link) != fits:
        raise ValueError("the calibration belongs to another model")
    return model


def _under(prefix: str, arrays: Arrays) -> dict[str, AnyArray]:
    """Return the arrays whose names begin so, without that."""
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


def _features_of(
    strings: Mapping[str, str], arrays: Arrays, callables: dict[str, Callable[..., Any]]
) -> TextFeatures:
    wanted = _plain_object(strings["callables"], "callables")
    for option, name in wanted.items():
        if option not in CALLABLES:
            raise ValueError(f"it asks for a function named {option!r}")
        if not callable(callables.get(option)):
            raise _MissingCallableError(
                f"was trained with a {option} of its own, {name}: pass "
                f"callables={{{option!r}: that function}}"
            )
    options = checked_options(_plain_object(strings["features"], "features"))
    terms = None
    if "terms.slots" in arrays:
        terms = core.FrozenTerms(
            _array(arrays, "terms.arena", np.uint8),
            _array(arrays, "terms.offsets", np.int64),
            _aligned(_array(arrays, "terms.slots", np.uint8)),
            _key(_array(arrays, "terms.key", np.uint64)),
        )
    weighted = "norm_weights" in arrays
    fasttext = None
    if (options["analyzer"] == "fasttext") != ("fasttext" in strings):
        raise ValueError("the analyzer is fastText's in one place and another in the other")
    if "fasttext" in strings:
        if terms is None:
            raise ValueError("fastText's reading needs terms")
        of_reading = _plain_object(strings["fasttext"], "fasttext")
        of_reading_arrays = _under("fasttext.", arrays)
        fasttext = FastTextReading.from_arrays(terms, of_reading, of_reading_arrays)
        terms = None
    views = _views_of(strings, arrays, {option: callables[option] for option in wanted}, options)
    if len(views) > 1 and terms is not None:
        _check_name_spaces(terms, len(views))
    return replace(
        views[0],
        terms=terms,
        fasttext=fasttext,
        norm_weights=_array(arrays, "norm_weights", np.float64) if weighted else None,
        beside=tuple(views[1:]),
    )


def _views_of(
    strings: Mapping[str, str],
    arrays: Arrays,
    callables: dict[str, Callable[..., Any]],
    options: dict[str, Any],
) -> list[TextFeatures]:
    """Return how each view reads text, or the only one."""
    stop_words = unpack_words(arrays, "stop_words")
    if "views" not in strings:
        return [TextFeatures(stop_words=stop_words, callables=callables, **options)]
    plain = _plain(strings["views"], "views", list)
    if not 2 <= len(plain) <= VIEWS_MAX or "fasttext" in strings:
        raise ValueError(f"it has {len(plain)} views")
    if options["n_unknown"] or options["n_hashed"] * len(plain) >= 2**31:
        raise ValueError("several views have no rows for unknown words, and fewer than 2**31 rows")
    views = []
    for number, view in enumerate(plain):
        if not isinstance(view, dict) or not isinstance(view.get("view"), str):
            raise ValueError("a view must be an object with a name")
        if not isinstance(view["options"], dict):
            raise ValueError("the options of a view must be an object")
        own, used = checked_options(view["options"]), view["callables"]
        if any(own[name] != options[name] for name in SHARED):
            raise ValueError("its views differ in what they must share")
        if own["analyzer"] == "fasttext":
            raise ValueError("fastText's reading stands alone")
        if not isinstance(used, list) or not set(used) <= set(callables):
            raise ValueError("a view uses a function that is not asked for")
        words = unpack_words(arrays, f"view{number}.stop_words") if number else stop_words
        of_view = {option: callables[option] for option in used}
        views.append(TextFeatures(view=view["view"], stop_words=words, callables=of_view, **own))
    names = {view.view for view in views}
    if len(names) < len(views) or any("__" in name or name.endswith("_") for name in names):
        raise ValueError("views must have different names")
    return views


def _check_name_spaces(terms: core.FrozenTerms, n_views: int) -> None:
    """Raise unless the terms lie view by view, each under the byte of its view."""
    offsets = np.asarray(terms.offsets)
    if (np.diff(offsets) < 1).any():
        raise ValueError("a term of several views must name its view")
    views = np.asarray(terms.arena)[offsets[:-1]]
    is_sorted = bool((views[1:] >= views[:-1]).all())
    if len(views) and not (is_sorted and views[0] >= 1 and views[-1] <= n_views):
        raise ValueError("the terms do not lie view by view")


def _array(arrays: Arrays, name: str, dtype: type[np.generic]) -> AnyArray:
    array = arrays[name]
    if array.dtype != dtype or array.ndim != 1:
        raise ValueError(f"{name} must be a row of {np.dtype(dtype).name}")
    return array


def _aligned(slots: AnyArray) -> AnyArray:
    return slots if slots.ctypes.data % 32 == 0 else core.FrozenTerms.aligned(slots)


def _key(numbers: AnyArray) -> tuple[int, int]:
    if len(numbers) != 2:
        raise ValueError("terms.key must hold two numbers")
    return int(numbers[0]), int(numbers[1])


def _plain_object(text: str, name: str) -> dict[str, Any]:
    return _plain(text, name, dict)


def _plain(text: str, name: str, kind: type[Plain]) -> Plain:
    if len(text) > _LONGEST_OBJECT:  # its values would take twenty times the memory
        raise ValueError(f"{name} has {len(text)} characters")
    value = json.loads(text)
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be {'an object' if kind is dict else 'a list'}")
    return value


def _name_of(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", None) or type(function).__module__
    return f"{module}.{getattr(function, '__qualname__', type(function).__qualname__)}"
