"""An OAuth2 client written with Authlib and PyJWT, for the tests: `oauth_client.py`, what to do as JSON on stdin.

Finds the authorization server by its metadata, gets tokens, uses them up, and says as JSON on stdout what it has seen.
"""

import base64
import json
import sys

import jwt
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator


def discover(issuer):
    """The metadata of the issuer, checked as RFC 8414 wants them."""
    response = requests.get(get_well_known_url(issuer, external=True), timeout=10)
    response.raise_for_status()
    metadata = AuthorizationServerMetadata(response.json())
    metadata.validate()
    if metadata["issuer"] != issuer:
        raise ValueError("the metadata are those of another issuer")
    return metadata


class Verifier:
    """A resource server's check of access tokens, by PyJWT and the keys of the issuer."""

    def __init__(self, metadata, audience):
        self.keys = jwt.PyJWKClient(metadata["jwks_uri"])
        self.keys.get_jwk_set()
        self.issuer = metadata["issuer"]
        self.audience = audience

    def decode(self, token, **other):
        """Claims of a valid token."""
        expected = {"issuer": self.issuer, "audience": self.audience, **other}
        decoded = jwt.decode_complete(
            token,
            self.keys.get_signing_key_from_jwt(token),
            algorithms=["ES256"],
            options={"require": ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"]},
            **expected,
        )
        if decoded["header"]["typ"] != "at+jwt":
            raise jwt.InvalidTokenError("typ")
        return decoded["payload"]

    def refusal(self, token, **other):
        """The name of the error for a token that is not valid."""
        try:
            self.decode(token, **other)
        except jwt.InvalidTokenError as error:
            return type(error).__name__
        return None


def part(value):
    """A part of a JWT."""
    text = json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def tampered(token):
    """Tokens that an attacker would make of a valid one."""
    header, payload, signature = token.split(".")
    claims = jwt.decode(token, options={"verify_signature": False})
    head = jwt.get_unverified_header(token)
    other = ("B" if signature[0] == "A" else "A") + signature[1:]
    return {
        "claims": f"{header}.{part({**claims, 'sub': 'root'})}.{signature}",
        "signature": f"{header}.{payload}.{other}",
        "none": f"{part({**head, 'alg': 'none'})}.{payload}.",
    }


class Rfc9068(JWTBearerTokenValidator):
    """Authlib's own check of access tokens."""

    def __init__(self, metadata, audience):
        super().__init__(metadata["issuer"], audience)
        self.jwks = requests.get(metadata["jwks_uri"], timeout=10).json()

    def get_jwks(self):
        return self.jwks


def attempt(ask):
    """The OAuth error that it comes to."""
    try:
        ask()
    except OAuthError as error:
        return error.error
    return None


def main(task):
    metadata = discover(task["issuer"])
    # as a resource server does when it starts, before anybody has logged in
    verifier = Verifier(metadata, task["audience"])
    session = OAuth2Session(
        task["client_id"], task["client_secret"], token_endpoint_auth_method=task["method"]
    )
    token_endpoint = metadata["token_endpoint"]
    token = session.fetch_token(token_endpoint, **task["grant"])
    first = token["access_token"]
    seen = {"metadata": metadata, "token": dict(token)}

    seen["claims"] = verifier.decode(first)
    seen["refusals"] = {
        **{name: verifier.refusal(text) for name, text in tampered(first).items()},
        "issuer": verifier.refusal(first, issuer="https://other.example.com"),
        "audience": verifier.refusal(first, audience="com.example.other"),
    }
    rfc9068 = Rfc9068(metadata, task["audience"])
    rfc9068.validate_token(rfc9068.authenticate_token(first), [token["scope"]], None)

    def introspect(text):
        return session.introspect_token(metadata["introspection_endpoint"], token=text).json()

    def revoke(text, hint):
        endpoint = metadata["revocation_endpoint"]
        return session.revoke_token(endpoint, token=text, token_type_hint=hint).status_code

    seen["me"] = session.get(task["resource"]).json()
    seen["introspection"] = introspect(first)
    if "refresh_token" in token:
        renewed = session.refresh_token(token_endpoint, refresh_token=token["refresh_token"])
        seen["renewed"] = {"me": session.get(task["resource"]).json(), **renewed}
    seen["revoked"] = [
        revoke(first, "access_token"),
        introspect(first),
        requests.get(
            task["resource"], headers={"Authorization": f"Bearer {first}"}, timeout=10
        ).status_code,
    ]
    if "refresh_token" in token:
        last = session.token["refresh_token"]
        seen["family"] = [
            revoke(last, "refresh_token"),
            introspect(session.token["access_token"]),
            attempt(lambda: session.refresh_token(token_endpoint, refresh_token=last)),
        ]
    stranger = OAuth2Session(
        task["client_id"], "wrong", token_endpoint_auth_method=task["method"]
    )
    seen["stranger"] = attempt(lambda: stranger.fetch_token(token_endpoint, **task["grant"]))
    json.dump(seen, sys.stdout)


main(json.load(sys.stdin))
