"""The OpenAPI document of the service, and a page that shows it without a network."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from porter.serve.refusals import CODES
from porter.serve.requests import EvaluateAnswer, EvaluateRequest, RunAnswer, RunRequest
from porter.serve.sandbox_fusion import (
    EvalResult,
    RunCodeRequest,
    RunCodeResponse,
    SubmitRequest,
)
from porter.serve.schemas import schema
from porter.version import __version__

_COMMON = (400, 401, 403, 405, 408, 413, 415, 422, 429, 503, 504)
_GUARDED = (401, 403)
_WORK: tuple[tuple[str, str, str, Any, Any], ...] = (
    ("/v1/run", "run", "Run a program and return its output.", RunRequest, RunAnswer),
    ("/v1/evaluate", "evaluate", "Judge a program on tests.", EvaluateRequest, EvaluateAnswer),
    ("/run_code", "run_code", "SandboxFusion: run a program.", RunCodeRequest, RunCodeResponse),
    ("/submit", "submit", "SandboxFusion: judge an answer.", SubmitRequest, EvalResult),
)
_GET = (
    ("/healthz", "healthz", "Whether the process lives.", (200,), "application/json"),
    ("/readyz", "readyz", "Whether programs are accepted.", (200, 503), "application/json"),
    ("/v1/ping", "ping", "SandboxFusion: whether the process lives.", (200,), "application/json"),
    ("/metrics", "metrics", "Metrics for Prometheus.", (200, *_GUARDED), "text/plain"),
    ("/openapi.json", "openapi", "This document.", (200,), "application/json"),
    ("/docs", "docs", "This document as a page.", (200,), "text/html"),
)


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    schemas: dict[str, Any] = {"Error": _ERROR}
    paths: dict[str, Any] = {}
    for path, name, text, request, answer in _WORK:
        paths[path] = {
            "post": {
                "operationId": name,
                "summary": text,
                "security": [{"token": []}, {}],
                "requestBody": _body("application/json", schema(request, schemas)),
                "responses": _responses(schema(answer, schemas)),
            }
        }
    line = {"type": "string", "description": "JSON lines: RunRequest, or EvaluateRequest."}
    answers = {"type": "string", "description": "JSON lines with index, id, and result or error."}
    paths["/v1/batch"] = {
        "post": {
            "operationId": "batch",
            "summary": "Run and judge many programs; answers come as programs finish.",
            "security": [{"token": []}, {}],
            "requestBody": _body("application/x-ndjson", line),
            "responses": _responses(answers, "application/x-ndjson"),
        }
    }
    for path, name, text, statuses, kind in _GET:
        paths[path] = {"get": _get(name, text, statuses, kind)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "porter serve",
            "version": __version__,
            "description": "Runs and judges Python programs in sandboxed interpreters.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


_ERROR = {
    "type": "object",
    "description": "A response that is no answer.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "hint": {"type": ["string", "null"]},
            },
            "required": ["code", "message", "hint"],
        },
        "detail": {"type": "string"},
        "request_id": {"type": "string"},
    },
    "required": ["error", "detail", "request_id"],
}


def _body(kind: str, found: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {kind: {"schema": found}}}


def _responses(answer: dict[str, Any], kind: str = "application/json") -> dict[str, Any]:
    found: dict[str, Any] = {"200": _content("The answer.", kind, answer)}
    found.update((str(status), _refusal(status)) for status in _COMMON)
    return found


def _refusal(status: int) -> dict[str, Any]:
    found = _content(CODES[status], "application/json", {"$ref": "#/components/schemas/Error"})
    if status in (429, 503):
        found["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
    return found


def _content(text: str, kind: str, found: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, "content": {kind: {"schema": found}}}


def _get(name: str, text: str, statuses: tuple[int, ...], kind: str) -> dict[str, Any]:
    responses = {}
    for status in statuses:
        if status in _GUARDED:
            responses[str(status)] = _refusal(status)
        else:
            responses[str(status)] = _content(text, kind, {})
    if "403" not in responses:
        responses["403"] = _refusal(403)
    return {"operationId": name, "summary": text, "responses": responses}


_PAGE = Markup(
    "<!doctype html><html lang=en><meta charset=utf-8><title>porter serve</title>"
    "<style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}"
    "table{{border-collapse:collapse}}td,th{{border:1px solid #ccc;padding:.2rem .6rem;"
    "text-align:left;vertical-align:top}}code,pre{{font-family:monospace}}</style>"
    "<h1>porter serve {version}</h1><p>{text} The document for tools is "
    "<a href=/openapi.json>/openapi.json</a>.</p>{endpoints}<h2>Objects</h2>{objects}</html>"
)
_ENDPOINT = Markup("<h2><code>{method} {path}</code></h2><p>{text}{request}</p>{answers}")
_OBJECT = Markup("<h3 id={name}>{name}</h3><p>{text}</p>{rows}")


def page() -> str:
    """Return the document as a page of HTML."""
    found = document()
    schemas = found["components"]["schemas"]
    endpoints = Markup("").join(
        _endpoint(path, method, operation)
        for path, methods in found["paths"].items()
        for method, operation in methods.items()
    )
    objects = Markup("").join(
        _OBJECT.format(name=name, text=one["description"], rows=_fields(one))
        for name, one in schemas.items()
    )
    info = found["info"]
    return _PAGE.format(
        version=info["version"], text=info["description"], endpoints=endpoints, objects=objects
    )


def _endpoint(path: str, method: str, operation: dict[str, Any]) -> Markup:
    request = Markup("")
    if "requestBody" in operation:
        ((kind, content),) = operation["requestBody"]["content"].items()
        request = Markup(" Body ({}): {}.").format(kind, _kind(content["schema"]))
    rows = Markup("").join(
        Markup("<tr><td>{}<td>{}<td>{}").format(
            status, one["description"], _kind(next(iter(one["content"].values()))["schema"])
        )
        for status, one in operation["responses"].items()
    )
    table = Markup("<table><tr><th>status<th>meaning<th>body{}</table>").format(rows)
    return _ENDPOINT.format(
        method=method.upper(), path=path, text=operation["summary"], request=request, answers=table
    )


def _fields(one: dict[str, Any]) -> Markup:
    required = one.get("required", ())
    rows = Markup("").join(
        Markup("<tr><td><code>{}</code>{}<td>{}<td>{}").format(
            name, " (required)" if name in required else "", _kind(kind),
            kind.get("description", ""),
        )
        for name, kind in one["properties"].items()
    )  # fmt: skip
    return Markup("<table><tr><th>field<th>type<th>meaning{}</table>").format(rows)


def _kind(found: dict[str, Any]) -> Markup:
    """Return a short description of a schema."""
    for key in ("allOf", "anyOf"):
        if key in found:
            return Markup(" or ").join(map(_kind, found[key]))
    if "$ref" in found:
        name = found["$ref"].rpartition("/")[2]
        return Markup("<a href=#{0}>{0}</a>").format(name)
    if "enum" in found:
        return Markup(", ").join(map(json.dumps, found["enum"]))
    if found.get("type") == "array":
        return Markup("list of {}").format(_kind(found["items"]))
    kind = found.get("type", "any value")
    text = Markup("{}").format(kind if isinstance(kind, str) else " or ".join(kind))
    if "default" in found:
        text += Markup(", default <code>{}</code>").format(json.dumps(found["default"]))
    return text
