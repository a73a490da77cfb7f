/** oidc-provider on this machine, at which one user logs in without a page; behind another address and TLS where a test wants it. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import {
  createServer as createTlsServer,
  request as requestTls,
  type ServerOptions,
} from 'node:https'
import { Provider } from 'oidc-provider'
import { freePort } from '#test/support/free-port.ts'

const { privateKey: signingKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** What is not ordinary about a provider. */
export interface RealProviderSetup {
  /** Members of its client beside the redirect URIs. */
  readonly client: Readonly<Record<string, unknown>>
  readonly redirect_uri: string
  readonly features?: Readonly<Record<string, unknown>>
  /** Key and certificate; absent: plain http. */
  readonly tls?: ServerOptions
  /** The issuer, where browsers know it by another address than it listens at. */
  readonly issuer?: string
  /** Whether its metadata has the address that it is asked at, as behind split DNS; else that of the issuer. */
  readonly isDynamic?: boolean
  /** What it says of the login. */
  readonly login?: Readonly<Record<string, unknown>>
  /** Other members of its configuration. */
  readonly more?: object
}

/** What the example's types leave out. */
interface Interactions {
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ readonly params: Readonly<Record<string, unknown>> }>
}

/** Of a request with a resource (RFC 8707), which the example's types leave out, too. */
interface ResourceParameters {
  readonly scope: string
  readonly resource?: string
}

interface ResourceGrant {
  addResourceScope(resource: string, scope: string): void
}

/** One that listens. */
export class RealProvider {
  readonly issuer: string
  /** Where it listens. */
  readonly address: string
  /** Who logs in: a name belongs to the user of one provider. */
  readonly user: string
  /** Claims of the user beside its name. */
  claims: Readonly<Record<string, unknown>> = {}
  /** Whether the user may not log in any more. */
  isDisabled = false
  /** `METHOD path` of all requests. */
  readonly asked: string[] = []
  /** The parameters of each authorization request that came to a login. */
  readonly params: Readonly<Record<string, unknown>>[] = []
  readonly #provider: Provider
  readonly #server: Server
  readonly #ca: ServerOptions['cert']

  private constructor(address: string, setup: RealProviderSetup) {
    const { client, redirect_uri, features = {}, tls, isDynamic = false, login = {}, more } = setup
    this.address = address
    this.user = `ada_${new URL(address).port}`
    this.issuer = setup.issuer ?? address
    this.#ca = tls?.cert
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: 'app', redirect_uris: [redirect_uri], ...client }],
      claims: { openid: ['sub'], profile: ['preferred_username', 'roles'], acr: ['acr'] as never },
      cookies: { keys: [randomBytes(32).toString('hex')] },
      jwks: { keys: [signingKey.export({ format: 'jwk' })] },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) =>
        this.isDisabled
          ? undefined
          : {
              accountId: id,
              claims: () => ({ sub: id, preferred_username: id, ...this.claims }),
            },
      async loadExistingGrant({ oidc }) {
        const { accountId } = oidc.session
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId })
        const { scope, resource } = oidc.params as ResourceParameters
        if (resource === undefined) grant.addOIDCScope(scope)
        else (grant as unknown as ResourceGrant).addResourceScope(resource, scope)
        await grant.save()
        return grant
      },
      ...({
        acrValues: ['gold', 'silver'],
        conformIdTokenClaims: false,
        // its own way refuses addresses of this machine
        fetch: (url: string, { dispatcher: _, ...options }: { dispatcher: unknown }) =>
          fetch(url, options),
      } as object),
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: false, logoutSource: () => undefined },
        ...features,
      },
      ...more,
    })
    this.#provider = provider
    const respond = provider.callback()
    const finish = async (asked: IncomingMessage, answer: ServerResponse) => {
      const details = provider as unknown as Interactions
      this.params.push((await details.interactionDetails(asked, answer)).params)
      const result = { login: { accountId: this.user, ...login } }
      await provider.interactionFinished(asked, answer, result)
    }
    const listener = (asked: IncomingMessage, answer: ServerResponse) => {
      const [path = ''] = (asked.url ?? '').split('?')
      this.asked.push(`${asked.method} ${path}`)
      if (!isDynamic) asked.headers.host = new URL(this.issuer).host
      void (path.startsWith('/interaction/') ? finish(asked, answer) : respond(asked, answer))
    }
    this.#server = tls ? createTlsServer(tls, listener) : createServer(listener)
  }

  static async open(setup: RealProviderSetup): Promise<RealProvider> {
    const port = await freePort()
    const address = setup.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
    const provider = new RealProvider(address, setup)
    const host = setup.tls ? 'localhost' : '127.0.0.1'
    await new Promise<void>((resolve) => provider.#server.listen(port, host, resolve))
    return provider
  }

  /** A browser logs in there. @returns where it is sent back to */
  async authorize(location: string): Promise<string> {
    const cookies = new Map<string, string>()
    let at = new URL(location)
    for (let turn = 0; turn < 8; turn += 1) {
      const { location: next = '', set } = await this.#visit(at.pathname + at.search, cookies)
      for (const line of set) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      at = new URL(next, this.issuer)
      if (at.origin !== new URL(this.issuer).origin && at.origin !== this.address) return at.href
    }
    throw new Error('the provider sends the browser to and fro')
  }

  async #visit(path: string, cookies: ReadonlyMap<string, string>) {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const send = this.#ca === undefined ? request : requestTls
    const options = {
      headers: { cookie },
      agent: false,
      ...(this.#ca && { ca: this.#ca }),
    } as const
    return new Promise<{ location: string | undefined; set: readonly string[] }>(
      (resolve, reject) => {
        send(this.address + path, options as never, (answer: IncomingMessage) => {
          answer.resume().on('end', () => {
            const { headers } = answer
            resolve({ location: headers.location, set: headers['set-cookie'] ?? [] })
          })
        })
          .on('error', reject)
          .end()
      },
    )
  }

  /** Tells its client that a session has ended, as it does when the user logs out there. */
  async endSession(sid: string): Promise<void> {
    const { Client } = this.#provider as unknown as {
      readonly Client: {
        find(id: string): Promise<{ backchannelLogout(sub: string, sid: string): Promise<void> }>
      }
    }
    await (await Client.find('app')).backchannelLogout(this.user, sid)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
