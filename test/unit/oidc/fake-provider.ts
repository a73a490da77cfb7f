/** An identity provider over plain http for tests: honest until a test twists one of its answers. */
import { createHash, randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose'

export const client_id = 'app'
export const client_secret = 'the secret of the client, with 32 bytes'

export const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

type Json = Readonly<Record<string, unknown>>

/** An answer; a body that is no text is sent as JSON. Never answering is a slow provider. */
interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly isNever?: boolean
}

/** What this provider does otherwise than an honest one. */
export interface Twist {
  readonly metadata?: Json
  /** Of the ID token; undefined takes a claim away. */
  readonly claims?: Json
  /** Of the ID token's header. */
  readonly header?: Json
  /** Another ID token altogether. */
  readonly idToken?: (claims: Json, provider: FakeProvider) => Promise<string> | string
  /** Of the token answer's body. */
  readonly tokens?: Json
  /** Of that body where it answers a refresh token. */
  readonly refreshed?: Json
  readonly userinfo?: Json
  /** Whole answers, by path. */
  readonly answers?: Readonly<Record<string, Answer>>
  /** Of the query that the browser comes back with; undefined takes one away. */
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly jwks?: (keys: readonly JWK[]) => readonly unknown[]
}

interface Keys {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

async function makeKeys(): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  return {
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' },
  }
}

/** What was asked for at the authorization endpoint, by code. */
interface Grant {
  readonly nonce: string
  readonly challenge: string
  readonly redirect_uri: string
}

/** A part of a JWT. */
export const encode = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const seconds = (ms: number): number => Math.floor(ms / 1000)

/** One that listens. */
export class FakeProvider {
  twist: Twist = {}
  /** Who logs in. */
  person: Json = { sub: 'sub-1', preferred_username: 'ada', roles: ['staff'] }
  /** The access token that it gives, and takes. */
  accessToken = 'the-access-token'
  /** Whether it gives refresh tokens, each of which it takes once. */
  givesRefreshTokens = false
  /** The refresh token that it takes; another one ends the login, as the use of a stolen one does. */
  refreshToken: string | undefined
  /** How the client must authenticate. */
  clientBy: 'basic' | 'post' | 'none' = 'basic'
  /** `METHOD path` of all requests. */
  readonly asked: string[] = []
  /** The authorization requests that were pushed. */
  readonly pushed: Json[] = []
  readonly #grants = new Map<string, Grant>()
  /** How many codes it has given: a code is never given twice. */
  #granted = 0
  readonly #events = new EventEmitter()
  readonly #server: Server
  #keys: Keys
  readonly #now: () => number

  private constructor(server: Server, keys: Keys, now: () => number) {
    this.#server = server
    this.#keys = keys
    this.#now = now
  }

  /** @param now milliseconds since the epoch */
  static async open(now: () => number): Promise<FakeProvider> {
    const keys = await makeKeys()
    const server = createServer((request, response) => {
      void provider.#answer(request, response)
    })
    const provider = new FakeProvider(server, keys, now)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return provider
  }

  /** Takes another key, under the name of the former one. */
  async changeKey(): Promise<void> {
    this.#keys = await makeKeys()
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resolves when the path is asked for the next time. */
  async askedFor(path: string): Promise<void> {
    await once(this.#events, path)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Somebody logs in there. @returns where the browser is sent back to */
  authorize(location: string): string {
    const { searchParams } = new URL(location)
    const asked = (name: string): string => searchParams.get(name) ?? ''
    if (asked('response_type') !== 'code' || asked('code_challenge_method') !== 'S256') {
      throw new Error(`not an authorization request: ${location}`)
    }
    const code = `code-${this.#granted}`
    this.#granted += 1
    const [nonce, challenge, redirect_uri] = [
      asked('nonce'),
      asked('code_challenge'),
      asked('redirect_uri'),
    ]
    this.#grants.set(code, { nonce, challenge, redirect_uri })
    const back = new URL(redirect_uri)
    const query = { code, state: asked('state'), iss: this.issuer, ...this.twist.query }
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) back.searchParams.set(name, value)
    }
    return back.href
  }

  /** Signs claims as an ID token. */
  readonly sign = async (claims: Json, header: Json = {}): Promise<string> =>
    new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader(JSON.parse(JSON.stringify({ alg: 'ES256', kid: 'k1', ...header })))
      .sign(this.#keys.privateKey)

  /** A logout token (Back-Channel Logout 1.0 §2.4) for the session `s1`; undefined takes a claim away. */
  logoutToken(claims: Json = {}, header: Json = { typ: 'logout+jwt' }): Promise<string> {
    const now = seconds(this.#now())
    const honest = {
      ...{ iss: this.issuer, aud: client_id, iat: now, exp: now + 120, jti: randomUUID() },
      ...{ events: { [logoutEvent]: {} }, sid: 's1', sub: this.person.sub },
    }
    return this.sign(JSON.parse(JSON.stringify({ ...honest, ...claims })), header)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.issuer).pathname
    this.asked.push(`${request.method} ${path}`)
    this.#events.emit(path)
    const {
      status = 200,
      headers,
      body,
      isNever,
    } = this.twist.answers?.[path] ?? (await this.#honestly(path, request))
    if (isNever) return
    const type = { 'content-type': 'application/json', ...headers }
    response
      .writeHead(status, type)
      .end(typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body))
  }

  async #honestly(path: string, request: IncomingMessage): Promise<Answer> {
    switch (path) {
      case '/.well-known/openid-configuration':
        return { body: { ...this.#metadata(), ...this.twist.metadata } }
      case '/jwks':
        return { body: { keys: this.twist.jwks?.([this.#keys.jwk]) ?? [this.#keys.jwk] } }
      case '/token':
        return this.#token(request, new URLSearchParams(await textOf(request)))
      case '/par':
        this.pushed.push(Object.fromEntries(new URLSearchParams(await textOf(request))))
        return {
          status: 201,
          body: { request_uri: `urn:example:${this.pushed.length}`, expires_in: 60 },
        }
      case '/userinfo':
        return request.headers.authorization === `Bearer ${this.accessToken}`
          ? { body: { sub: this.person.sub, name: 'Ada', ...this.twist.userinfo } }
          : { status: 401, body: {} }
      default:
        return { status: 404, body: {} }
    }
  }

  #metadata(): Json {
    const at = (path: string) => `${this.issuer}${path}`
    return {
      issuer: this.issuer,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      jwks_uri: at('/jwks'),
      userinfo_endpoint: at('/userinfo'),
      end_session_endpoint: at('/end'),
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  async #token({ headers }: IncomingMessage, form: URLSearchParams): Promise<Answer> {
    const grant = this.#grants.get(form.get('code') ?? '')
    this.#grants.delete(form.get('code') ?? '')
    const encoded = [client_id, client_secret].map((text) => new URLSearchParams({ x: text }))
    const basic = encoded.map((one) => one.toString().slice(2)).join(':')
    const isClient =
      this.clientBy === 'basic'
        ? headers.authorization === `Basic ${Buffer.from(basic).toString('base64')}`
        : headers.authorization === undefined &&
          form.get('client_id') === client_id &&
          form.get('client_secret') === (this.clientBy === 'post' ? client_secret : null)
    if (form.get('grant_type') === 'refresh_token') return this.#refresh(form, isClient)
    const isProved =
      grant?.challenge === sha256(form.get('code_verifier') ?? '').toString('base64url')
    if (!grant || !isClient || !isProved || grant.redirect_uri !== form.get('redirect_uri')) {
      return { status: 400, body: { error: 'invalid_grant' } }
    }
    return this.#tokensFor({ nonce: grant.nonce })
  }

  #refresh(form: URLSearchParams, isClient: boolean): Promise<Answer> | Answer {
    const isCurrent = isClient && form.get('refresh_token') === this.refreshToken
    if (isCurrent && this.refreshToken !== undefined)
      return this.#tokensFor({}, this.twist.refreshed)
    this.refreshToken = undefined
    return { status: 400, body: { error: 'invalid_grant' } }
  }

  async #tokensFor(more: Json, twisted: Json = this.twist.tokens ?? {}): Promise<Answer> {
    const access_token = this.accessToken
    const now = seconds(this.#now())
    // one that gives no new one takes the former one again
    const isRotated = this.givesRefreshTokens && !Object.hasOwn(twisted, 'refresh_token')
    if (isRotated) this.refreshToken = randomUUID()
    const claims = {
      iss: this.issuer,
      aud: client_id,
      iat: now,
      exp: now + 300,
      ...more,
      at_hash: sha256(access_token).subarray(0, 16).toString('base64url'),
      ...this.person,
      ...this.twist.claims,
    }
    const { idToken = () => this.sign(claims, this.twist.header) } = this.twist
    const id_token = await idToken(claims, this)
    const refresh = this.givesRefreshTokens && { refresh_token: this.refreshToken }
    const body = { access_token, token_type: 'Bearer', expires_in: 600, id_token, ...refresh }
    return { body: { ...body, ...twisted } }
  }
}
