"""The HTTP service that judges and runs programs: `porter serve`.

Input: HTTP requests. Output: answers as JSON. `app` has the endpoints, `service` submits programs
to a `Batcher`, and `server` runs uvicorn until a signal. `porter.cli.serve` calls `server.serve`.
"""
