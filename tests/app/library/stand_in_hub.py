"""A stand-in for the hub on the loopback: its API for search, repositories and files, and a CDN that it sends to."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE_SIZE = 3
PIECE = 16_384
COMMIT = "a" * 40
RESOLVE = re.compile(r"/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
REPOSITORY = re.compile(r"/api/models/(?P<repo>[^/]+/[^/]+?)(/revision/(?P<revision>[^/]+))?")


@dataclass
class HubFile:
    content: bytes
    is_large: bool = False

    @property
    def etag(self) -> str:
        if self.is_large:
            return hashlib.sha256(self.content).hexdigest()
        return hashlib.sha1(f"blob {len(self.content)}\0".encode() + self.content).hexdigest()


@dataclass
class HubModel:
    files: dict[str, HubFile]
    downloads: int = 0
    licence: str = "apache-2.0"
    is_gated: bool = False
    tags: tuple[str, ...] = ("mlx",)
    pipeline: str = "text-generation"
    gguf: dict[str, object] | None = None


@dataclass
class Asked:
    method: str
    path: str
    range: str
    authorization: str


@dataclass
class StandInHub:
    """What it serves and how it fails; `cuts` are bytes of a path after which the connection ends, once each."""

    models: dict[str, HubModel] = field(default_factory=dict)
    commit: str = COMMIT
    cuts: dict[str, list[int]] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)
    statuses: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)  # by the beginning of a path
    bodies: dict[str, bytes] = field(default_factory=dict)  # of answers, by the beginning of a path
    change: Callable[[dict[str, object]], None] = lambda answer: None  # what is said of a repository
    links: str = ""  # that go with these bodies
    knows_ranges: bool = True
    before_piece: Callable[[str, int], None] = lambda path, sent: None
    asked: list[Asked] = field(default_factory=list)

    def __enter__(self) -> StandInHub:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), make_handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def cdn(self) -> str:
        """Another host name, as the real one has."""
        return f"http://localhost:{self.port}/cdn"

    def ranges_of(self, path: str) -> list[str]:
        """Of the requests for a file's bytes; "" for the whole."""
        return [one.range for one in self.asked if one.method == "GET" and one.path.endswith(path)]


def make_handler(hub: StandInHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else a body waits for the answer to its headers, 40 ms

        def log_message(self, *parts: object) -> None:
            """Nothing is printed."""

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            headers = self.headers
            hub.asked.append(
                Asked(self.command, parts.path, headers.get("Range", ""), headers.get("Authorization", ""))
            )
            for beginning, (status, extra) in hub.statuses.items():
                if parts.path.startswith(beginning):
                    self.refuse(status, extra)
                    return
            for beginning, body in hub.bodies.items():
                if parts.path.startswith(beginning):
                    self.send(body, {"Link": hub.links} if hub.links else {})
                    return
            if parts.path == "/api/models":
                self.search({name: values[0] for name, values in parse_qs(parts.query).items()})
            elif parts.path.startswith("/cdn/"):
                self.serve_cdn(parts.path.removeprefix("/cdn/"))
            elif match := RESOLVE.fullmatch(parts.path):
                self.resolve(match["repo"], match["revision"], match["path"])
            elif match := REPOSITORY.fullmatch(parts.path):
                self.describe(match["repo"], match["revision"] or "main")
            else:
                self.refuse(404, {})

        def search(self, query: dict[str, str]) -> None:
            words, start = query.get("search", "").lower().split(), int(query.get("cursor", "0"))
            wanted = query.get("filter", "")
            found = [
                (name, model)
                for name, model in sorted(hub.models.items(), key=lambda one: -one[1].downloads)
                if all(word in name.lower() for word in words) and (not wanted or wanted in model.tags)
            ]
            rest = {}
            if len(found) > start + PAGE_SIZE:
                kept = f"search={'+'.join(words)}&filter={wanted}&cursor={start + PAGE_SIZE}"
                rest["Link"] = f'<{hub.endpoint}/api/models?{kept}>; rel="next"'
            self.answer([self.card(*one) for one in found[start : start + PAGE_SIZE]], rest)

        def card(self, name: str, model: HubModel) -> dict[str, object]:
            return {
                "id": name,
                "modelId": name,
                "downloads": model.downloads,
                "gated": "manual" if model.is_gated else False,
                "lastModified": "2026-10-01T12:00:00.000Z",
                "pipeline_tag": model.pipeline,
                "tags": [*model.tags, f"license:{model.licence}"],
                "gguf": model.gguf,
            }

        def describe(self, name: str, revision: str) -> None:
            model = hub.models.get(name)
            if model is None:
                self.refuse(404, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"})
            elif revision not in ("main", hub.commit):
                self.refuse(404, {"X-Error-Code": "RevisionNotFound"})
            else:
                siblings = [self.sibling(path, file) for path, file in model.files.items()]
                answer = {**self.card(name, model), "sha": hub.commit, "siblings": siblings}
                hub.change(answer)
                self.answer(answer, {})

        def sibling(self, path: str, file: HubFile) -> dict[str, object]:
            made: dict[str, object] = {"rfilename": path, "size": len(file.content), "blobId": "b" * 40}
            if file.is_large:
                made["lfs"] = {"sha256": file.etag, "size": len(file.content), "pointerSize": 135}
            else:
                made["blobId"] = file.etag
            return made

        def resolve(self, name: str, revision: str, path: str) -> None:
            model = hub.models.get(name)
            if model is None or path not in model.files or revision not in ("main", hub.commit):
                self.refuse(404, {"X-Error-Code": "EntryNotFound"})
            elif model.is_gated and not self.headers.get("Authorization"):
                self.refuse(401, {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access is restricted"})
            elif model.files[path].is_large:
                file = model.files[path]
                self.send_response(302)
                self.send_header("Location", f"{hub.cdn}/{name}/{path}")
                self.send_header("X-Repo-Commit", hub.commit)
                self.send_header("X-Linked-Etag", f'"{file.etag}"')
                self.send_header("X-Linked-Size", str(len(file.content)))
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self.send_file(path, model.files[path])

        def serve_cdn(self, place: str) -> None:
            organisation, name, path = place.split("/", 2)
            self.send_file(path, hub.models[f"{organisation}/{name}"].files[path])

        def send_file(self, path: str, file: HubFile) -> None:
            content = file.content
            if path in hub.damaged:
                content = bytes([content[0] ^ 1]) + content[1:]
            begin = 0
            if hub.knows_ranges and (match := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))):
                begin = int(match[1])
            self.send_response(206 if begin else 200)
            if begin:
                self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
            self.send_header("ETag", f'"{file.etag}"')
            self.send_header("X-Repo-Commit", hub.commit)
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(len(content) - begin))
            self.end_headers()
            if self.command == "GET":
                self.send_pieces(path, content, begin)

        def send_pieces(self, path: str, content: bytes, begin: int) -> None:
            cuts = hub.cuts.get(path, [])
            end = cuts.pop(0) if cuts else len(content)
            try:
                for place in range(begin, end, PIECE):
                    hub.before_piece(path, place)
                    self.wfile.write(content[place : min(end, place + PIECE)])
            except OSError:  # the program let go of it
                self.close_connection = True
            if end < len(content):
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

        def refuse(self, status: int, extra: dict[str, str]) -> None:
            self.answer({"error": extra.get("X-Error-Message", "refused")}, extra, status)

        def answer(self, value: object, extra: dict[str, str], status: int = 200) -> None:
            self.send(json.dumps(value).encode(), extra, status)

        def send(self, body: bytes, extra: dict[str, str], status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            for name, text in extra.items():
                self.send_header(name, text)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

    return Handler
