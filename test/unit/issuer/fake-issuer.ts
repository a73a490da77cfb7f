/** An issuer of access tokens over plain http for tests: honest until a test twists one of its answers. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CompactJWSHeaderParameters,
  CompactSign,
  exportJWK,
  generateKeyPair,
  type JWK,
} from 'jose'

type Json = Readonly<Record<string, unknown>>

/** An answer in the place of the honest one; a body that is no text is sent as JSON. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Never answers: a slow issuer. */
  readonly isNever?: boolean
}

/** A key pair of the issuer. */
interface SigningKey {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** What differs from an ordinary token; undefined takes a member away. */
export interface TokenChanges {
  readonly header?: Json
  readonly claims?: Json
}

async function newKey(kid: string, alg: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** One that listens. */
export class FakeIssuer {
  /** Whole answers, by path. */
  answers: Record<string, Answer> = {}
  /** The paths that were asked for. */
  readonly asked: string[] = []
  readonly #server: Server
  readonly #now: () => number
  readonly #keys: SigningKey[] = []
  #waiting: (() => void)[] = []

  private constructor(server: Server, now: () => number) {
    this.#server = server
    this.#now = now
  }

  /** @param now milliseconds since the epoch */
  static async open(now: () => number): Promise<FakeIssuer> {
    const server = createServer((request, response) => {
      const path = request.url ?? ''
      issuer.asked.push(path)
      for (const resume of issuer.#waiting.splice(0)) resume()
      const honest = issuer.#honest()[path] ?? { status: 404 }
      const { status = 200, headers, body = '', isNever } = issuer.answers[path] ?? honest
      if (isNever) return
      response.writeHead(status, headers)
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    const issuer = new FakeIssuer(server, now)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await issuer.addKey('k1')
    return issuer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The least settings of a realm. */
  get settings(): Json {
    return { issuer: this.url, audience: ['orders'], allow_unsafe_http: true }
  }

  /** The public keys that an honest answer has. */
  get jwks(): JWK[] {
    return this.#keys.map(({ jwk }) => jwk)
  }

  #honest(): Record<string, Answer> {
    return {
      '/.well-known/openid-configuration': {
        body: { issuer: this.url, jwks_uri: `${this.url}/jwks` },
      },
      '/jwks': { body: { keys: this.jwks } },
    }
  }

  /** Publishes a key, which signs from now on. */
  async addKey(kid: string, alg = 'ES256'): Promise<void> {
    this.#keys.push(await newKey(kid, alg))
  }

  /** Publishes another key alone, which signs from now on. */
  async rotate(kid: string): Promise<void> {
    this.#keys.length = 0
    await this.addKey(kid)
  }

  /** Resolves when the next request comes. */
  nextRequest(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** A token of an hour for ada, signed by the newest key. */
  token({ header, claims }: TokenChanges = {}): Promise<string> {
    const key = this.#keys.at(-1)
    if (!key) throw new Error('the issuer has no key')
    const iat = Math.floor(this.#now() / 1000)
    const { kid, alg } = key.jwk
    const whole = { kid, typ: 'at+jwt', alg, ...header } as CompactJWSHeaderParameters
    return new CompactSign(
      Buffer.from(
        JSON.stringify({
          ...{ iss: this.url, aud: 'orders', sub: 'ada', iat, exp: iat + 3600, jti: 'j1' },
          ...{ scope: 'orders:read staff', client_id: 'app' },
          ...claims,
        }),
      ),
    )
      .setProtectedHeader(whole)
      .sign(key.privateKey, { crit: { x: true } })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
