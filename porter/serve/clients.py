"""Clients: tokens, and limits of requests and rows of each client.

Input: the Authorization header and the address of a request. Output: a `ClientBudget`, or
`RefusedRequest`. `guard` asks for the client of each request.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import math
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import define, field, frozen

from porter.errors import FileProblem, UsageError
from porter.serve.refusals import RefusedRequest

VARIABLE = "PORTER_TOKEN"
MIN_TOKEN = 16  # characters; shorter ones can be guessed
MOST_CLIENTS = 10_000  # clients whose limits are remembered
IPV6_NETWORK = 64  # bits; a client of IPv6 owns all addresses of such a network


@frozen
class Token:
    """A token and its client's name in logs and metrics."""

    name: str
    digest: bytes = field(repr=False)

    @classmethod
    def of(cls, name: str, text: str) -> Token:
        """Make a token. Raises UsageError if it is short, or no printable ASCII."""
        if len(text) < MIN_TOKEN or not text.isascii() or not text.isprintable() or " " in text:
            raise UsageError(
                f"the token of the client {name!r} is not {MIN_TOKEN} or more printable ASCII "
                "characters",
                hint="Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe())'",
            )
        return cls(name, _digest(text.encode("ascii")))


def _digest(text: bytes) -> bytes:
    # Digests have one length, so a comparison does not depend on the length of the token.
    return hashlib.sha256(text).digest()


def read_tokens(path: Path | None, environment: Mapping[str, str] = os.environ) -> list[Token]:
    """Return the tokens of a file, or of PORTER_TOKEN; none without both.

    A line of the file is a token, or a name and a token. Empty lines and lines with # are ignored.

    Raises:
        FileProblem: The file cannot be read, or other users can read it.
        UsageError: A token is too short, or the file has no token.
    """
    if path is None:
        text = environment.get(VARIABLE, "").strip()
        return [Token.of("default", text)] if text else []
    try:
        mode = path.stat().st_mode
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileProblem(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if mode & 0o007:
        raise FileProblem(f"{path}: other users can access it", hint=f"chmod 600 {path}")
    found = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) > 2:
            raise UsageError(f"{path}:{number}: it is neither a token nor a name and a token")
        name = words[0] if len(words) == 2 else f"line {number}"
        found.append(Token.of(name, words[-1]))
    if not found:
        raise UsageError(f"{path}: there is no token in this file")
    return found


@define(eq=False)
class ClientBudget:
    """The requests and rows that a client may have.

    Attributes:
        name: The client's name in logs.
        most_requests: Requests at a time.
        rate: Rows per second; 0: no limit.
        requests: Requests in progress.
        rows: Rows that the client may have now; negative after a large request.
        since: When `rows` was computed.
    """

    name: str
    most_requests: int
    rate: int
    clock: Callable[[], float] = time.monotonic
    requests: int = 0
    rows: float = field(init=False)
    since: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Fill the bucket: a client may begin with the rows of one second."""
        self.rows, self.since = float(self.rate), self.clock()

    def begin(self) -> None:
        """Count a request. Raises RefusedRequest (429)."""
        if self.requests >= self.most_requests:
            raise RefusedRequest(
                429,
                "too_many_requests",
                f"this client has {self.requests} requests in progress, the maximum is "
                f"{self.most_requests}",
                hint="Wait for answers, or send many programs as one batch.",
                retry_after=1,
            )
        self.requests += 1

    def end(self) -> None:
        """Count the end of a request."""
        self.requests -= 1

    def delay(self, rows: int) -> float:
        """Take rows, and return 0; or return the seconds until they may be taken.

        A request may take more rows than the bucket has; the client pays afterwards.
        """
        if not self.rate:
            return 0.0
        now = self.clock()
        self.rows = min(float(self.rate), self.rows + (now - self.since) * self.rate)
        self.since = now
        if self.rows <= 0:
            return (1.0 - self.rows) / self.rate
        self.rows -= rows
        return 0.0

    def take(self, rows: int) -> None:
        """Take rows. Raises RefusedRequest (429)."""
        if delay := self.delay(rows):
            raise RefusedRequest(
                429,
                "too_many_rows",
                f"this client may have {self.rate} rows per second",
                hint="Wait for the time that Retry-After says.",
                retry_after=math.ceil(delay),
            )

    @property
    def is_idle(self) -> bool:
        """The client's state equals that of a new client (bool)."""
        self.delay(0)
        return not self.requests and (not self.rate or self.rows >= self.rate)


class Clients:
    """Finds the client of a request.

    Args:
        tokens: The tokens; empty: all requests are admitted, and clients are addresses.
        most_requests: Requests of a client at a time.
        rate: Rows of a client per second; 0: no limit.
    """

    def __init__(self, tokens: Sequence[Token], most_requests: int, rate: int) -> None:
        self._tokens, self._most_requests, self._rate = tokens, most_requests, rate
        self._budgets: OrderedDict[str, ClientBudget] = OrderedDict()

    @property
    def has_tokens(self) -> bool:
        """Requests need a token (bool)."""
        return bool(self._tokens)

    def client_of(self, authorization: bytes | None, address: str) -> ClientBudget:
        """Return the client of a request.

        Args:
            authorization: The header `Authorization`.
            address: The address of the connection.

        Raises:
            RefusedRequest: There are tokens, and the header has none of them (401).
        """
        if not self._tokens:
            return self._budget(_network(address))
        scheme, _, given = (authorization or b"").partition(b" ")
        digest = _digest(given.strip())
        # All tokens are compared, so that the time does not depend on which one matches.
        found = [one for one in self._tokens if hmac.compare_digest(one.digest, digest)]
        if scheme.lower() != b"bearer" or not found:
            raise RefusedRequest(
                401,
                "unauthorized",
                "a token is missing or wrong",
                hint="Send the header 'Authorization: Bearer TOKEN'.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return self._budget(found[0].name)

    def _budget(self, name: str) -> ClientBudget:
        budget = self._budgets.get(name)
        if budget is None:
            budget = ClientBudget(name, self._most_requests, self._rate)
            self._budgets[name] = budget
            while len(self._budgets) > MOST_CLIENTS:
                oldest = next(iter(self._budgets))
                if not self._budgets[oldest].is_idle:
                    break
                del self._budgets[oldest]
        self._budgets.move_to_end(name)
        return budget


def _network(address: str) -> str:
    """Return an address of IPv4, or the network of an address of IPv6."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return "local"  # a Unix socket has no address
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped is not None:
            return str(known.ipv4_mapped)
        return str(ipaddress.ip_network((address.partition("%")[0], IPV6_NETWORK), strict=False))
    return str(known)
