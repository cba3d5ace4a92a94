r"""The container of a model file: named arrays and strings, checked before they are believed.

Byte layout, format versions 1 to 3
-----------------------------------
A model file is a safetensors file, of which it uses a subset. Numbers are little-endian.

======================  ===================================================================
offset                  content
======================  ===================================================================
0                       n, the length of the header, uint64; 8 + n is a multiple of 64
8                       header: ASCII, JSON without spaces, then fewer than 64 spaces
8 + n                   data: the arrays in the header's order, in C order, without gaps
end - 8                 checksum: XXH64 (seed 0) of every byte of the file before it, uint64
======================  ===================================================================

The header is one object. Its first member holds the metadata, of which format and version come
first; each further member describes one array::

    {"__metadata__":{"format":"wordodds","version":"1","KEY":"STRING",...},
     "NAME":{"dtype":"F64","shape":[3,2],"data_offsets":[0,48]},...}

(on one line). KEY and NAME are of ``[a-z][a-z0-9_.]*``, up to 64 characters, and occur once; a
STRING is any Unicode text, with ``\u`` escapes. A dtype is U8, I8, U16, I16, F16, U32, I32, F32,
U64, I64 or F64. Data offsets count from 8 + n. The last array is "checksum", U64 of shape [1].

Alignment: an array begins at a multiple of the largest power of two, up to 64, that divides its
size in bytes. So every array is aligned for its dtype and one of whole cache lines to a cache
line, in the file and hence in a memory map. Arrays are sorted to make it so; up to 7 zero bytes, a
U8 array "padding", go before the checksum where it needs them.

Every version begins with the same 8 + 48 bytes (but for n) and ends with the same checksum, so
that a reader can tell a newer file from a damaged one.

Limits: a header of 1 MiB, 1000 arrays, 1000 strings, 8 dimensions.
"""

import errno
import json
import math
import mmap as memory_map
import os
import re
import stat
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from wordodds._core.base import checksum
from wordodds._files.atomic import kind_of_file, replacing, write_all
from wordodds.model.errors import ModelFileError, damaged
from wordodds.typing import AnyArray

__all__ = ["FORMAT_VERSION", "Container", "read_container", "write_container"]

FORMAT_VERSION = 3  # the newest that is read; what fits an older one is written as that

_OPENING = '{"__metadata__":{"format":"wordodds","version":"'
_LINE = 64  # bytes of a cache line
_MAX_HEADER = 1 << 20
_BLOCK = 1 << 24  # bytes read at once
_MAX_ENTRIES = 1000
_MAX_DIMENSIONS = 8
# Every pattern of bits is a value of these: bool is not among them, whose 2 is neither True nor
# False.
_DTYPES = {
    f"{kind.upper()}{8 * size}": np.dtype(f"<{kind}{size}")
    for size in (1, 2, 4, 8)
    for kind in "uif"
    if size > 1 or kind != "f"
}
_CODES = {dtype: code for code, dtype in _DTYPES.items()}
_RESERVED = ("padding", "checksum")
_NAME = "[a-z][a-z0-9_.]{0,63}"
_NUMBER = "(?:0|[1-9][0-9]{0,14})"
_VERSION = re.compile(re.escape(_OPENING) + '([1-9][0-9]{0,8})"')
_KEY = re.compile(f',"({_NAME})":(?=")')
_ENTRY = re.compile(
    f',"({_NAME})":{{"dtype":"([A-Z0-9]{{2,3}})",'
    f'"shape":\\[((?:{_NUMBER}(?:,{_NUMBER}){{0,{_MAX_DIMENSIONS - 1}}})?)\\],'
    f'"data_offsets":\\[({_NUMBER}),({_NUMBER})\\]}}'
)
_END = re.compile(f"}} {{0,{_LINE - 1}}}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRINGS = json.JSONDecoder()
# What people pass by mistake, by its first bytes.
_STRANGERS = {
    b"\xba\x16\x4f\x2f": "it is a fastText model. See `wordodds convert`, or from_fasttext",
    b"\x80": "it looks like a pickle. For a pickled scikit-learn pipeline see `wordodds convert`",
    b"\x1f\x8b": "it is compressed with gzip. Decompress it first",
    b"\x28\xb5\x2f\xfd": "it is compressed with zstd. Decompress it first",
    b"PK\x03\x04": "it is a zip archive. Extract it first",
}


class Container(NamedTuple):
    """What a model file holds; the arrays are read-only views, in the order of the file."""

    metadata: dict[str, str]
    tensors: dict[str, AnyArray]
    n_bytes: int


class _Defect(Exception):  # noqa: N818 - never leaves this file
    """What is wrong with the bytes; the caller knows whose they are."""


class _Entry(NamedTuple):
    """One array of the header; offsets count from the beginning of the data."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def write_container(
    path: str | os.PathLike[str],
    tensors: Mapping[str, AnyArray],
    metadata: Mapping[str, str],
    version: int = 1,
) -> None:
    """Write arrays and strings to a file, which is replaced as a whole or not at all.

    Equal content gives equal bytes. Arrays are of integers or floats up to 64 bits; one that is not
    C-contiguous and little-endian is copied, the others are written from where they lie. The
    version is the least that a reader must know.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "small.wordodds")
    >>> write_container(path, {"weights": np.array([[1.5], [-2.0]])}, {"labels": "ham spam"})
    >>> container = read_container(path, verify=True, mmap=True)
    >>> container.metadata
    {'format': 'wordodds', 'version': '1', 'labels': 'ham spam'}
    >>> container.tensors["weights"]
    array([[ 1.5],
           [-2. ]])
    """
    arrays = _arranged(tensors)
    header = _header(arrays, metadata, version)
    n_bytes = len(header) + sum(array.nbytes for array in arrays.values()) - 8
    with replacing(path, error=ModelFileError) as descriptor:
        write_all(descriptor, header)
        for name, array in arrays.items():
            if name != "checksum":
                write_all(descriptor, array.reshape(-1).view(np.uint8).data)
        # Over the pages that the system has just been given: no second copy.
        digest = checksum(_contents(descriptor, n_bytes, mapped=True))
        write_all(descriptor, digest.to_bytes(8, "little"))


def read_container(path: str | os.PathLike[str], *, verify: bool, mmap: bool) -> Container:
    """Read the arrays and strings of a file; nothing in it is trusted.

    Allocates no more than the file, and that only if it is not mapped, plus its header as text,
    which is short. Without ``verify``, which compares the checksum before anything else is
    believed, nothing else of a mapped file is touched. A pipe or device is refused without waiting
    for it. A mapped file may be replaced meanwhile, as `write_container` does; overwriting it in
    place changes the arrays, and truncating it ends the process.
    """
    name = os.fsdecode(path)
    descriptor = _open(name)
    try:
        n_bytes = os.fstat(descriptor).st_size
        _check_opening(name, os.pread(descriptor, 8 + len(_OPENING), 0))
        content = _contents(descriptor, n_bytes, mapped=mmap)
        if verify and checksum(content[:-8]) != int.from_bytes(content[-8:], "little"):
            raise _Defect("its checksum does not match")
        return _parse(name, content)
    except _Defect as defect:
        raise damaged(name, str(defect)) from None
    finally:
        os.close(descriptor)


def _arranged(tensors: Mapping[str, AnyArray]) -> dict[str, AnyArray]:
    """Return the arrays as the file has them, in its order, with padding and checksum."""
    if len(tensors) > _MAX_ENTRIES - len(_RESERVED):
        raise ValueError(f"a model file holds fewer than 1000 arrays, got {len(tensors)}")
    arrays = {name: _storable(name, array) for name, array in tensors.items()}
    # Each class of alignment begins where the stricter ones before it end.
    order = sorted(arrays, key=lambda name: -_alignment(arrays[name].nbytes))
    arranged = {name: arrays[name] for name in order}
    n_missing = -sum(array.nbytes for array in arrays.values()) % 8
    if n_missing:
        arranged["padding"] = np.zeros(n_missing, dtype=np.uint8)
    arranged["checksum"] = np.zeros(1, dtype="<u8")
    return arranged


def _storable(name: str, array: AnyArray) -> AnyArray:
    if name in _RESERVED or not re.fullmatch(_NAME, name):
        raise ValueError(f"an array cannot be named {name!r} in a model file")
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _CODES:
        raise TypeError(
            f"array {name!r} must be of integers or floats up to 64 bits, got {array.dtype}"
        )
    if array.ndim > _MAX_DIMENSIONS or any(n >= 10**15 for n in array.shape):
        raise ValueError(f"array {name!r} has a shape that a model file cannot hold: {array.shape}")
    return np.asarray(array, dtype=dtype, order="C")


def _header(arrays: Mapping[str, AnyArray], metadata: Mapping[str, str], version: int) -> bytes:
    """Return the file's bytes before the data."""
    strings = {"format": "wordodds", "version": str(version)}
    for key, value in metadata.items():
        if not re.fullmatch(_NAME, key) or strings.get(key, value) != value:
            raise ValueError(f"metadata cannot have the key {key!r} with the value {value!r:.80}")
        value.encode()  # lone surrogates are no text: UnicodeEncodeError, a ValueError
        strings[key] = value
    members: dict[str, Any] = {"__metadata__": strings}
    begin = 0
    for name, array in arrays.items():
        end = begin + array.nbytes
        shape, code = list(array.shape), _CODES[array.dtype.newbyteorder("<")]
        members[name] = {"dtype": code, "shape": shape, "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(members, separators=(",", ":")).encode()
    header = text + b" " * (-(8 + len(text)) % _LINE)
    if len(strings) > _MAX_ENTRIES or len(header) > _MAX_HEADER:
        raise ValueError(
            f"metadata must be up to {_MAX_ENTRIES} strings and with the header up to "
            f"{_MAX_HEADER} bytes, got {len(strings)} and {len(header)}: store arrays instead"
        )
    return len(header).to_bytes(8, "little") + header


def _alignment(n_bytes: int) -> int:
    """Return the largest power of two, up to a cache line, that divides a size."""
    return (n_bytes | _LINE) & -(n_bytes | _LINE)


def _open(name: str) -> int:
    """Open a regular file for reading; anything else is refused without waiting for it."""
    try:
        # O_NONBLOCK: opening a pipe would wait for its writer. It means nothing for files.
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENODEV):  # sockets, and devices that are not there
            raise ModelFileError(f"{name} is no regular file. Name a model file") from None
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise ModelFileError(f"{name} is {kind_of_file(mode)}. Name a model file")
    return descriptor


def _check_opening(name: str, opening: bytes) -> None:
    if len(opening) > 8 and _OPENING.encode().startswith(opening[8:]):
        return
    what = "it begins otherwise. Name a model file" if opening else "it is empty"
    for magic, guess in _STRANGERS.items():
        if opening.startswith(magic):
            what = guess
    raise ModelFileError(f"{name} is not a wordodds model file: {what}")


def _contents(descriptor: int, n_bytes: int, *, mapped: bool) -> memoryview:
    """Return a file's bytes, read-only, at an address that is a multiple of a cache line."""
    if mapped:
        try:
            pages = memory_map.mmap(descriptor, n_bytes, access=memory_map.ACCESS_READ)
            return memoryview(pages)
        except ValueError:
            raise _Defect("it was truncated just now") from None
        except OSError as error:
            if error.errno != errno.ENODEV:  # a file system that cannot map
                raise
    memory = np.empty(n_bytes + _LINE, dtype=np.uint8)
    first = -memory.ctypes.data % _LINE
    content = memory[first : first + n_bytes].data
    at = 0
    while at < n_bytes:
        n_read = os.preadv(descriptor, [content[at : at + _BLOCK]], at)
        if n_read == 0:
            raise _Defect("it was truncated just now")
        at += n_read
    memory.flags.writeable = False  # who asks NumPy for a view asks the owner of the memory
    return content.toreadonly()


def _parse(name: str, content: memoryview) -> Container:
    """Make views of the arrays that the header describes; every number in it is checked first."""
    n_header = int.from_bytes(content[:8], "little")
    header_end = 8 + n_header
    if n_header > _MAX_HEADER or header_end > len(content) - 8 or header_end % _LINE:
        raise _Defect(f"its header cannot have {n_header} bytes of {len(content)}")
    # Asked beforehand: the error of the decoder would hold a copy of it all.
    if np.frombuffer(content[8:header_end], dtype=np.uint8).max(initial=0) > 127:
        raise _Defect("its header is not ASCII")
    header = str(content[8:header_end], "ascii")
    version = _VERSION.match(header)
    if version is None:
        raise _Defect("it has no version")
    if int(version[1]) > FORMAT_VERSION:
        raise ModelFileError(
            f"{name} was made by a newer wordodds, format version {version[1]}; this one reads "
            f"up to {FORMAT_VERSION}: upgrade wordodds"
        )
    metadata, position = _parse_metadata(header, version.end())
    metadata = {"format": "wordodds", "version": version[1], **metadata}
    entries = _parse_entries(header, position)
    _check_entries(entries, len(content) - header_end)
    tensors = {
        entry.name: _view(entry, content, header_end)
        for entry in entries
        if entry.name not in _RESERVED
    }
    return Container(metadata, tensors, len(content))


def _parse_metadata(header: str, position: int) -> tuple[dict[str, str], int]:
    """Return the strings that follow the version, and where the header goes on."""
    metadata: dict[str, str] = {}
    while key := _KEY.match(header, position):
        try:
            # It begins with a quotation mark, so it is one string and nothing nested.
            value, position = _STRINGS.raw_decode(header, key.end())
        except ValueError:
            raise _Defect(f"the string {key[1]!r} of its header is malformed") from None
        if _SURROGATE.search(value):
            raise _Defect(f"the string {key[1]!r} of its header is not Unicode text")
        if key[1] in metadata or key[1] in ("format", "version"):
            raise _Defect(f"its header has the string {key[1]!r} twice")
        metadata[key[1]] = value
        if len(metadata) > _MAX_ENTRIES:
            raise _Defect("its header has too many strings")
    if header[position : position + 1] != "}":
        raise _Defect("the strings of its header are malformed")
    return metadata, position + 1


def _parse_entries(header: str, position: int) -> list[_Entry]:
    entries: dict[str, _Entry] = {}
    while found := _ENTRY.match(header, position):
        name, code, shape, begin, end = found.groups()
        if name in entries or len(entries) == _MAX_ENTRIES:
            raise _Defect(f"its header has the array {name!r} twice, or too many arrays")
        if code not in _DTYPES:
            raise _Defect(f"the array {name!r} has the unknown dtype {code!r}")
        numbers = tuple(map(int, shape.split(","))) if shape else ()
        entries[name] = _Entry(name, _DTYPES[code], numbers, int(begin), int(end))
        position = found.end()
    if not _END.fullmatch(header, position):
        raise _Defect(f"its header is malformed at byte {8 + position}")
    return list(entries.values())


def _check_entries(entries: list[_Entry], n_bytes: int) -> None:
    """Check that the arrays fill the data, each aligned, with the checksum at the end."""
    position = 0
    for name, dtype, shape, begin, end in entries:
        if begin != position or end != begin + math.prod(shape) * dtype.itemsize:
            raise _Defect(f"the array {name!r} has a shape or place that does not fit")
        if begin % _alignment(end - begin):
            raise _Defect(f"the array {name!r} is not aligned")
        # NumPy multiplies the other dimensions even if one is 0.
        if math.prod(max(n, 1) for n in shape) * dtype.itemsize >= 1 << 62:
            raise _Defect(f"the array {name!r} has an impossible shape")
        if name == "padding" and end - begin >= 8:
            raise _Defect("its padding is too long")
        position = end
    if position != n_bytes:
        raise _Defect(f"it has {n_bytes} bytes of data, its header promises {position}")
    if entries[-1][:3] != ("checksum", _DTYPES["U64"], (1,)):
        raise _Defect("its last array is not the checksum")


def _view(entry: _Entry, content: memoryview, data: int) -> AnyArray:
    stored = np.ndarray(entry.shape, entry.dtype, buffer=content, offset=data + entry.begin)
    array = stored.astype(entry.dtype.newbyteorder("="), copy=False)  # a copy where big-endian
    array.flags.writeable = False
    return array
