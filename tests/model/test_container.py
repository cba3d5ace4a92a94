"""The container of a model file: what was written comes back, or one clear error."""

import contextlib
import json
import os
import pickle
import random
import socket
import tracemalloc
from contextlib import nullcontext

import numpy as np
import pytest
import safetensors
import safetensors.numpy
import xxhash

from wordodds.model.container import read_container, write_container
from wordodds.model.errors import ModelFileError

DTYPES = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]
METADATA = {"labels": '["ham", "späm", "\U0001f600"]', "empty": "", "control": 'a\n\t\x00\x7f"\\/'}
BOTH = pytest.mark.parametrize("mmap", [True, False])


def some_tensors(n=7):
    rng = np.random.default_rng(0)
    tensors = {f"of_{name}": rng.integers(0, 100, n).astype(name) for name in DTYPES}
    return tensors | {
        "matrix": rng.normal(size=(8, 2)),
        "scalar": np.array(2.5),
        "nothing": np.zeros((0, 3), dtype=np.float32),
        "lines": np.arange(32, dtype=np.uint64),
    }


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, strict=True)


def sealed(content):
    """Return a file with the checksum that its other bytes have, computed by another library."""
    return content[:-8] + xxhash.xxh64_intdigest(content[:-8]).to_bytes(8, "little")


def header_and_data(content):
    end = 8 + int.from_bytes(content[:8], "little")
    return content[8:end].decode().rstrip(" "), content[end:]


def forged(header, data):
    """Return a file of any header and data whose lengths and checksum are right."""
    header = header.encode() if isinstance(header, str) else header
    header += b" " * (-(8 + len(header)) % 64)
    return sealed(len(header).to_bytes(8, "little") + header + data)


@pytest.fixture
def small(tmp_path):
    """Return the path of a file of less than 3 KB with a bit of everything."""
    path = tmp_path / "small.wordodds"
    write_container(path, some_tensors(), METADATA)
    assert path.stat().st_size <= 3072
    return path


@BOTH
@pytest.mark.parametrize("verify", [True, False])
def test_what_was_written_is_read(small, verify, mmap):
    container = read_container(small, verify=verify, mmap=mmap)
    assert container.metadata == {"format": "wordodds", "version": "1", **METADATA}
    assert_same(container.tensors, some_tensors())
    assert container.n_bytes == small.stat().st_size
    for name, array in container.tensors.items():
        assert array.flags.aligned, name
        if array.nbytes % 64 == 0:
            assert array.ctypes.data % 64 == 0, name
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.flags.writeable = True


@pytest.mark.parametrize("n", range(9))
def test_every_size_stays_aligned(tmp_path, n):
    tensors = some_tensors(n)
    write_container(tmp_path / "m", tensors, {})
    found = read_container(tmp_path / "m", verify=True, mmap=True).tensors
    assert_same(found, tensors)
    assert all(array.flags.aligned for array in found.values())


def test_safetensors_reads_the_same(small):
    with safetensors.safe_open(small, "numpy") as file:
        assert file.metadata() == {"format": "wordodds", "version": "1", **METADATA}
    found = safetensors.numpy.load_file(small)
    content = small.read_bytes()
    assert found.pop("checksum") == xxhash.xxh64_intdigest(content[:-8])
    assert not found.pop("padding", np.zeros(1)).any()
    assert_same(found, some_tensors())


def test_a_file_of_safetensors_itself_is_refused(tmp_path):
    path = tmp_path / "theirs.safetensors"
    safetensors.numpy.save_file(some_tensors(), path, metadata={"format": "np"})
    with pytest.raises(ModelFileError, match="not a wordodds model file"):
        read_container(path, verify=False, mmap=True)


def test_layout_in_memory_does_not_matter(tmp_path):
    matrix = np.arange(12.0).reshape(3, 4)
    for number, array in enumerate([matrix, matrix.astype(">f8"), np.asfortranarray(matrix)]):
        write_container(tmp_path / str(number), {"a": array, "b": array.T[::2]}, METADATA)
    files = {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(files) == 1
    found = read_container(tmp_path / "0", verify=True, mmap=True).tensors
    assert_same(found, {"a": matrix, "b": matrix.T[::2]})


def test_a_loaded_file_may_be_replaced_even_by_itself(small):
    old = read_container(small, verify=True, mmap=True)
    write_container(small, old.tensors | {"more": np.ones(5000)}, {})
    assert_same(old.tensors, some_tensors())
    assert len(read_container(small, verify=True, mmap=True).tensors["more"]) == 5000


@pytest.mark.parametrize(
    ("tensors", "metadata", "match"),
    [
        ({"a": np.array([True])}, {}, "'a' must be of integers or floats"),
        ({"a": np.array(["x"])}, {}, "'a' must be of integers or floats"),
        ({"a": np.array([None])}, {}, "'a' must be of integers or floats"),
        ({"a": np.array([1j])}, {}, "'a' must be of integers or floats"),
        ({"checksum": np.zeros(1)}, {}, "named 'checksum'"),
        ({"padding": np.zeros(1)}, {}, "named 'padding'"),
        ({"__metadata__": np.zeros(1)}, {}, "named '__metadata__'"),
        ({"A b": np.zeros(1)}, {}, "named 'A b'"),
        ({"a": np.zeros((1,) * 9)}, {}, "'a' has a shape"),
        ({"a": np.zeros((0, 10**15), dtype=np.uint8)}, {}, "'a' has a shape"),
        ({f"a{i}": np.zeros(1) for i in range(999)}, {}, "fewer than 1000 arrays"),
        ({}, {"version": "7"}, "the key 'version'"),
        ({}, {"a\n": ""}, "the key"),
        ({}, {"a": "\ud800"}, "surrogates not allowed"),
        ({}, {"a": "x" * 2**20}, "store arrays instead"),
        ({}, {f"a{i}": "" for i in range(1000)}, "store arrays instead"),
    ],
)
def test_what_the_format_cannot_hold_is_not_written(tmp_path, tensors, metadata, match):
    with pytest.raises((TypeError, ValueError), match=match):
        write_container(tmp_path / "m", tensors, metadata)
    assert not list(tmp_path.iterdir())


def test_every_flipped_byte_is_noticed(small):
    content = small.read_bytes()
    with open(small, "r+b", buffering=0) as file:
        for at, byte in enumerate(content):
            for bits in (0x01, 0x80, 0xFF):
                os.pwrite(file.fileno(), bytes([byte ^ bits]), at)
                with pytest.raises(ModelFileError):
                    read_container(small, verify=True, mmap=bits == 0x80)
                read_or_none(small, verify=False, mmap=bits == 0x80)
            os.pwrite(file.fileno(), bytes([byte]), at)
    assert small.read_bytes() == content


def test_every_truncation_and_any_extension_is_noticed(small):
    content = small.read_bytes()
    with open(small, "r+b", buffering=0) as file:
        os.pwrite(file.fileno(), content, len(content))
        for n_bytes in (2 * len(content), len(content) + 1, *reversed(range(len(content)))):
            file.truncate(n_bytes)
            for verify in (True, False):
                with pytest.raises(ModelFileError, match=r"damaged|not a wordodds model|is empty"):
                    read_container(small, verify=verify, mmap=bool(n_bytes % 2))


def mutated(rng, content, donor):
    """Return the content with one to four random changes, half of them in the header."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 4])):
        end = min(len(content), 900) if rng.random() < 0.5 else len(content)
        at, n = rng.randrange(end), rng.choice([1, 1, 2, 8, 64, 1000])
        to = rng.randrange(len(content))
        match rng.randrange(6):
            case 0:
                content[at] ^= 1 << rng.randrange(8)
            case 1:
                content[at:at] = rng.choice([rng.randbytes(n), b"9" * n, b"[" * n, b" " * n])
            case 2:
                del content[at : at + n]
            case 3:
                content[at : at + n], content[to : to + n] = (
                    content[to : to + n],
                    content[at : at + n],
                )
            case 4:
                content[at : at + n] = donor[to : to + n]
            case 5:
                content[at : at + 1] = rng.choice(b'0123456789,:"\\{}[] -eU').to_bytes()
        content = content or bytearray(b"x")
    return bytes(content)


def test_random_mutations_never_crash_nor_allocate_much(tmp_path):
    path = tmp_path / "m.wordodds"
    names = ("of_u1", "of_f2", "of_i4", "of_f8", "nothing", "matrix")
    write_container(path, {name: some_tensors(3001)[name] for name in names}, {"other": "metadata"})
    donor = path.read_bytes()
    write_container(path, {name: some_tensors(3300)[name] for name in names}, METADATA)
    content = path.read_bytes()
    assert 45_000 < len(content) < 55_000
    rng = random.Random(0)
    n_accepted = 0
    with open(path, "r+b", buffering=0) as file:
        for number in range(20_000):
            damaged = mutated(rng, content, donor)
            damaged = sealed(damaged) if number % 2 else damaged
            os.pwrite(file.fileno(), damaged, 0)
            file.truncate(len(damaged))
            with limited_memory(2 * len(damaged)) if number % 50 == 3 else nullcontext():
                container = read_or_none(path, verify=number % 4 < 2, mmap=number % 8 < 4)
            if container is not None and damaged != content:
                n_accepted += 1
                assert_safetensors_agrees(damaged, container.tensors)
    assert 2000 < n_accepted < 15_000  # so both the parser and what lies behind it were tried


def read_or_none(path, **options):
    with contextlib.suppress(ModelFileError):
        return read_container(path, **options)


@contextlib.contextmanager
def limited_memory(n_bytes):
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] <= n_bytes
    finally:
        tracemalloc.stop()


def assert_safetensors_agrees(content, tensors):
    """Check that what we take for a file of ours is one for safetensors, with the same arrays."""
    theirs = dict(safetensors.deserialize(content))
    assert tensors.keys() == theirs.keys() - {"checksum", "padding"}
    for name, array in tensors.items():
        assert theirs[name]["shape"] == list(array.shape)
        assert theirs[name]["data"] == array.tobytes()


NOTHING = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'
# What of the header of `small` is replaced, and by what.
FORGERIES = {
    "hole": ('"data_offsets":[128,384]', '"data_offsets":[192,448]'),
    "overlap": ('"data_offsets":[128,384]', '"data_offsets":[64,320]'),
    "backwards": ('"data_offsets":[128,384]', '"data_offsets":[384,128]'),
    "negative": ('"shape":[32]', '"shape":[-32]'),
    "other product": ('"shape":[32]', '"shape":[33]'),
    "fraction": ('"shape":[32]', '"shape":[32.0]'),
    "leading zero": ('"shape":[32]', '"shape":[032]'),
    "huge": ('"shape":[32]', '"shape":[' + "9" * 5000 + "]"),
    "true": ('"shape":[1]', '"shape":[true]'),
    "many dimensions": ('"shape":[32]', '"shape":[' + "1," * 40 + "32]"),
    "nested": ('"shape":[32]', '"shape":' + "[" * 100_000 + "32" + "]" * 100_000),
    "empty but huge": ('"shape":[0,3]', '"shape":[0' + ",999999999999999" * 7 + "]"),
    "unknown dtype": ('"dtype":"U64","shape":[32]', '"dtype":"B64","shape":[32]'),
    "bool": ('"dtype":"U8","shape":[7]', '"dtype":"BOOL","shape":[7]'),
    "array twice": ('"matrix":{', f'"twice":{NOTHING},"twice":{NOTHING},"matrix":{{'),
    "no checksum": ('"checksum":', '"chocksum":'),
    "other checksum": ('"U64","shape":[1],', '"I64","shape":[1],'),
    "additional member": ('"shape":[32],', '"shape":[32],"more":1,'),
    "string twice": ('"empty":', '"labels":'),
    "format twice": ('"empty":', '"format":'),
    "number for string": ('"empty":""', '"empty":0'),
    "object for string": ('"empty":""', '"empty":{"a":"b"}'),
    "no comma": ('"empty":"",', '"empty":""'),
    "open string": ('"empty":"",', '"empty":"'),
    "control character": ('"empty":""', '"empty":"\n"'),
    "lone surrogate": ('"empty":""', '"empty":"\\ud800"'),
    "bad escape": ('"empty":""', '"empty":"\\x"'),
    "raw UTF-8": ('"empty":""', '"empty":"ä"'),
    "version 0": ('"version":"1"', '"version":"0"'),
    "version x": ('"version":"1"', '"version":"x"'),
    "many strings": ('"empty":""', ",".join(f'"e{i}":""' for i in range(2000))),
    "many arrays": (
        '"matrix":{',
        "".join(f'"x{i}":{NOTHING},' for i in range(2000)) + '"matrix":{',
    ),
    "behind the object": ("[1],", "[1]}}x"),
    "spaces at the end": ("}}", "}}" + " " * 64),
    "spaces within": ('"shape":[32]', " " * 64 + '"shape":[32]'),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_hostile_header_with_the_right_checksum(small, name):
    header, data = header_and_data(small.read_bytes())
    assert forged(header, data) == small.read_bytes()
    old, new = FORGERIES[name]
    assert old in header
    small.write_bytes(forged(header.replace(old, new), data))
    for verify in (True, False):
        with pytest.raises(ModelFileError, match="truncated or damaged"):
            read_container(small, verify=verify, mmap=True)


def test_misaligned_arrays_are_refused(tmp_path):
    path = tmp_path / "m"
    write_container(path, {"a": np.zeros(8), "b": np.zeros(8, dtype=np.uint8)}, {})
    header, data = header_and_data(path.read_bytes())
    a, b = '"a":{"dtype":"F64","shape":[8],', '"b":{"dtype":"U8","shape":[8],'
    old = f'{a}"data_offsets":[0,64]}},{b}"data_offsets":[64,72]}}'
    assert old in header
    new = f'{b}"data_offsets":[0,8]}},{a}"data_offsets":[8,72]}}'
    path.write_bytes(forged(header.replace(old, new), data))
    with pytest.raises(ModelFileError, match="'a' is not aligned"):
        read_container(path, verify=True, mmap=True)


@pytest.mark.parametrize("n", [0, 1, 2**20, 2**20 + 56, 2**31, 2**63, 2**64 - 1])
def test_a_wrong_length_of_the_header_is_not_believed(small, n):
    small.write_bytes(sealed(n.to_bytes(8, "little") + small.read_bytes()[8:]))
    with pytest.raises(ModelFileError, match="its header cannot have"):
        read_container(small, verify=True, mmap=False)


def test_a_header_that_is_longer_than_ours_may_be(small):
    header, data = header_and_data(small.read_bytes())
    for n, match in ((2**20 - len(header) - 64, None), (2**20, "its header cannot have")):
        small.write_bytes(forged(header.replace('"empty":"', '"empty":"' + "x" * n), data))
        with pytest.raises(ModelFileError, match=match) if match else nullcontext():
            read_container(small, verify=True, mmap=True)


@pytest.mark.parametrize("rename", ["a", "padding"])
def test_padding_is_short(tmp_path, rename):
    path = tmp_path / "m"
    write_container(path, {"a": np.zeros(16, dtype=np.uint8)}, {})
    header, data = header_and_data(path.read_bytes())
    path.write_bytes(forged(header.replace('"a":', f'"{rename}":'), data))
    with pytest.raises(ModelFileError, match="too long") if rename != "a" else nullcontext():
        read_container(path, verify=True, mmap=True)


def test_a_long_header_costs_no_more_than_its_size(small):
    header, data = header_and_data(small.read_bytes())
    for old, new in [
        ('"shape":[32]', '"shape":[' + "[]," * 300_000 + "32]"),
        ('"empty":""', '"empty":[' + "{}," * 300_000 + "0]"),
        ('"empty":""', '"empty":"' + "\\n" * 500_000 + '"'),
    ]:
        content = forged(header.replace(old, new), data)
        small.write_bytes(content)
        with limited_memory(2 * len(content)):
            read_or_none(small, verify=True, mmap=True)


def test_a_newer_version_says_so(small):
    header, data = header_and_data(small.read_bytes())
    newer = forged(header.replace('"version":"1","', '"version":"12","new":["'), data)
    small.write_bytes(newer)
    with pytest.raises(ModelFileError, match=r"newer wordodds, format version 12; .* upgrade"):
        read_container(small, verify=True, mmap=True)
    small.write_bytes(newer[:-1] + b"x")
    with pytest.raises(ModelFileError, match="checksum"):
        read_container(small, verify=True, mmap=True)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "is empty"),
        (b"some text\n" * 100, "not a wordodds model file"),
        (pickle.dumps(list(range(100))), "looks like a pickle"),
        (b"\x1f\x8b" + bytes(200), "gzip"),
        (bytes(1000), "not a wordodds model file"),
        (json.dumps({"a": 1}).encode(), "not a wordodds model file"),
    ],
)
def test_files_of_others(tmp_path, content, match):
    (tmp_path / "m.wordodds").write_bytes(content)
    with pytest.raises(ModelFileError, match=f"m.wordodds .*{match}"):
        read_container(tmp_path / "m.wordodds", verify=True, mmap=True)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    os.mkfifo("pipe")
    os.mkdir("folder")
    before = os.listdir("/proc/self/fd")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for path in ("pipe", "folder", "socket", "/dev/zero", "/dev/null"):
            with pytest.raises(ModelFileError, match=f"{path} is .*. Name a model file"):
                read_container(path, verify=True, mmap=True)
            with pytest.raises(ModelFileError, match=f"cannot save to .*{path}: it is a"):
                write_container(path, {}, {})
    assert sorted(os.listdir()) == ["folder", "pipe", "socket"]
    assert not os.listdir("folder")
    assert os.listdir("/proc/self/fd") == before


def test_errors_of_the_system_stay_what_they_are(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="missing"):
        read_container(tmp_path / "missing", verify=True, mmap=True)
    with pytest.raises(FileNotFoundError, match="missing'"):
        write_container(tmp_path / "missing" / "m", {}, {})

    def forbidden(*args, **options):
        raise PermissionError(13, "Permission denied", "m")

    monkeypatch.setattr(os, "open", forbidden)  # root may open everything
    with pytest.raises(PermissionError):
        read_container(tmp_path / "m", verify=True, mmap=True)


@BOTH
def test_a_file_that_is_truncated_while_it_is_opened(small, mmap, monkeypatch):
    pread = os.pread

    def pread_and_truncate(*args):
        found = pread(*args)
        os.truncate(small, 500)
        return found

    monkeypatch.setattr(os, "pread", pread_and_truncate)
    with pytest.raises(ModelFileError, match="truncated"):
        read_container(small, verify=False, mmap=mmap)
