"""An identity provider of our own: a key set, and ID tokens as a runner of a CI system gets them."""

import http.server
import json
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
LIFETIME_SECONDS = 300


class IdentityProvider:
    """Serves its key set at `/keys` and, at any other address, an ID token for the `audience` that is asked for."""

    def __init__(self, claims: "dict[str, str]") -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.answer(self)

            def log_message(self, *_arguments) -> None:
                pass

        provider = self
        self.claims = claims
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"

    def sign(self, audience: str) -> str:
        """An ID token of the job."""
        now = int(time.time())
        times = {"iat": now - 1, "nbf": now - 1, "exp": now + LIFETIME_SECONDS, "jti": str(time.time_ns())}
        claims = {"iss": self.url, "aud": audience, **times, **self.claims}
        return jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "one"})

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Answers a request for the key set or for an ID token."""
        url = urllib.parse.urlsplit(request.path)
        if url.path == "/keys":
            key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            document = {"keys": [{**key, "kid": "one", "alg": "RS256", "use": "sig"}]}
        else:
            document = {"value": self.sign(urllib.parse.parse_qs(url.query)["audience"][0])}
        body = json.dumps(document).encode()
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
