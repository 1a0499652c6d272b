"""Holds requests and replies against Typesense's own description of its API (`typesense/openapi.yml`).

`LODGE_DATA` names the folder that holds it. Where it is not there, nothing can be checked.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import yaml
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from werkzeug.datastructures import Headers, ImmutableMultiDict

from server.settings import PROJECT

DATA = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
FILE = DATA / "typesense" / "openapi.yml"
ABSENT = f"There is no {FILE}: set LODGE_DATA to the folder that holds typesense/openapi.yml."

_METHODS = ("get", "post", "put", "patch", "delete")
_HOST = "http://localhost:8108"


class ViolationError(AssertionError):
    """A request or a reply is not what the description says."""


@dataclass
class _Request:
    method: str
    path: str
    query: list[tuple[str, str]]
    headers: Mapping[str, str]
    body: bytes | None
    content_type: str
    host_url: str = _HOST
    parameters: RequestParameters = field(init=False)

    def __post_init__(self) -> None:
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(self.query),
            header=Headers(dict(self.headers)),
            cookie=ImmutableMultiDict(),
        )


@dataclass
class _Reply:
    status_code: int
    data: bytes
    content_type: str
    headers: Headers = field(default_factory=Headers)


class Description:
    """The description, as a judge. Thread-safe."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.version: str = table["info"]["version"]
        self._lock = threading.Lock()
        self._parameters = _parameter_names(table)
        self._api = OpenAPI.from_dict(
            _readable(table),
            # The description is checked by its makers; some of its own examples contradict it.
            config=Config(
                spec_validator_cls=None,
                extra_media_type_deserializers={"application/octet-stream": lambda body: body.decode()},
            ),
        )

    def check(
        self,
        request: tuple[str, str, Mapping[str, str], bytes],
        reply: tuple[int, bytes, str] | None = None,
    ) -> None:
        """A request (method, path with query, headers, body), or the reply to it (status, body, type)."""
        method, target, headers, body = request
        path, _, query = target.partition("?")
        pairs = parse_qsl(query, keep_blank_values=True)
        sent = _Request(method.lower(), path, pairs, headers, body or None, _sent_type(path))
        try:
            with self._lock:
                if reply is None:
                    self._api.validate_request(sent)
                    self._require_known(sent)
                else:
                    status, data, content_type = reply
                    self._api.validate_response(sent, _Reply(status, data, content_type))
        except OpenAPIError as error:
            raise ViolationError(f"{method} {target[:200]}: {_story(error)}") from error

    def _require_known(self, sent: _Request) -> None:
        """A misspelt query parameter is no error to OpenAPI."""
        known = next(
            (
                names
                for (method, path), names in self._parameters.items()
                if sent.method == method and _matches(path, sent.path)
            ),
            set[str](),
        )
        if unknown := {name for name, _ in sent.query} - known:
            raise ViolationError(f"{sent.method} {sent.path} knows no parameter {', '.join(sorted(unknown))}")


@cache
def description() -> Description | None:
    """The description, or None where there is none."""
    if not FILE.is_file():
        return None
    return Description(yaml.load(FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


def _sent_type(path: str) -> str:
    """The official client sends no content type, and Typesense asks for none; the description names one."""
    return "application/octet-stream" if path.endswith("/documents/import") else "application/json"


def _readable(original: dict[str, Any]) -> dict[str, Any]:
    """The description, made readable for the library, and corrected where it contradicts itself.

    - A query parameter that is an object stands for a parameter each (OpenAPI 3.0, "style values: form,
      explode"); the library does not read it so. Its names are checked by `_require_known`.
    - A hit's document may hold "any key-value pair", and its example has strings; its schema demands objects.
    - `hnsw_params` of a field is in the manual ("Configuring HNSW parameters") and in the client's types.
    - Statuses that the description leaves out (401, 503, …) have a message, as those it names.
    - A body may hold nothing that is not described: Typesense ignores what is misspelt, a test should not.
    """
    table = copy.deepcopy(original)
    schemas = table["components"]["schemas"]
    schemas["SearchResultHit"]["properties"]["document"]["additionalProperties"] = {}
    schemas["Field"]["properties"]["hnsw_params"] = {
        "type": "object",
        "properties": {"M": {"type": "integer"}, "ef_construction": {"type": "integer"}},
        "additionalProperties": False,
    }
    schemas["Field"]["additionalProperties"] = False
    one_search = {**schemas["MultiSearchParameters"]["properties"]}
    one_search |= schemas["MultiSearchCollectionParameters"]["allOf"][1]["properties"]
    schemas["MultiSearchCollectionParameters"] = _closed(one_search)
    for path in table["paths"].values():
        for method in set(path) & set(_METHODS):
            _open_parameters(path[method], schemas)
            problem = {"$ref": "#/components/schemas/ApiResponse"}
            path[method]["responses"].setdefault(
                "default", {"description": "", "content": {"application/json": {"schema": problem}}}
            )
    creation = table["paths"]["/collections"]["post"]["requestBody"]["content"]["application/json"]
    creation["schema"] = {**schemas["CollectionSchema"], "additionalProperties": False}
    return table


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def _open_parameters(operation: dict[str, Any], schemas: Mapping[str, Any]) -> None:
    """Each property of a query parameter that is an object becomes a parameter."""
    kept: list[Any] = []
    for parameter in operation.get("parameters", []):
        properties = _properties(parameter, schemas)
        if properties is None:
            kept.append(parameter)
        else:
            kept += [{"name": name, "in": "query", "schema": schema} for name, schema in properties.items()]
    operation["parameters"] = kept


def _properties(parameter: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any] | None:
    schema = parameter.get("schema", {})
    schema = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    found: Mapping[str, Any] | None = schema.get("properties")
    return found if parameter["in"] == "query" else None


def _parameter_names(table: dict[str, Any]) -> dict[tuple[str, str], set[str]]:
    """The names of the query parameters of every operation."""
    schemas = table["components"]["schemas"]
    names: dict[tuple[str, str], set[str]] = {}
    for path, operations in table["paths"].items():
        for method in set(operations) & set(_METHODS):
            names[method, path] = {
                name
                for parameter in operations[method].get("parameters", [])
                if parameter["in"] == "query"
                for name in (_properties(parameter, schemas) or {parameter["name"]: None})
            }
    return names


def _matches(pattern: str, path: str) -> bool:
    """Whether a path is one of `/collections/{collectionName}`."""
    theirs, ours = pattern.split("/"), path.split("/")
    return len(theirs) == len(ours) and all(
        a == b or a.startswith("{") for a, b in zip(theirs, ours, strict=True)
    )


def _story(error: BaseException | None) -> str:
    """An error with everything below it."""
    parts = []
    while error is not None:
        parts.append(str(error))
        parts += [str(found.message) for found in getattr(error, "schema_errors", ())]
        error = error.__cause__
    return "; ".join(dict.fromkeys(parts))[:800]
