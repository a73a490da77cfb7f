/** The credentials of all upstreams of a process: made of the settings of their realms, counted, and told in the log when there are none. */
import { createHash } from 'node:crypto'
import type { EgressProxy } from '#component/action/connections/egress.ts'
import type { Clock } from '#component/clock.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import { Discovery, type ProviderFetch, why } from '#component/oidc/client/discovery.ts'
import { TokenGrants } from '#component/oidc/client/token-grant.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { Realms } from '#component/realm/realms.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Credentials, Holder, OwnProxy } from '#component/upstreams/credentials.ts'
import { ExchangedTokens } from './exchanged-tokens.ts'
import { fixedCredentials, fixedKinds, type Open } from './fixed-credentials.ts'
import type { TokenShare } from './shared-tokens.ts'
import { clientCredentials, type TokenPorts, tokenExchange } from './token-credentials.ts'

/** The dependencies of {@link UpstreamCredentials}. */
export interface UpstreamCredentialPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'warn'>
  readonly realms: Pick<Realms, 'openSecret' | 'secretOrigins'>
  /** @param proxy in place of that of the configuration */
  fetch(...asked: [...Parameters<ProviderFetch>, proxy?: EgressProxy]): Promise<Response>
  /** Of a gateway of several processes. */
  readonly share: TokenShare | undefined
}

/** The fetches of tokens of one upstream. */
export interface TokenCounts extends Holder {
  ok: number
  failed: number
  /** Those of users to whom the server gives none. */
  refused: number
}

interface Made extends Pick<Credentials, 'type' | 'key'> {
  readonly name: string
  readonly auth: JsonMap
}

const fixed =
  (type: keyof typeof fixedKinds) =>
  (made: Made, ports: TokenPorts): Credentials =>
    fixedCredentials(made, fixedKinds[type], ports)

/** What makes the credentials of each type of `auth`. */
const kinds: Readonly<Record<string, (made: Made, ports: TokenPorts) => Credentials>> = {
  header: fixed('header'),
  query: fixed('query'),
  basic: fixed('basic'),
  client_credentials: clientCredentials,
  token_exchange: tokenExchange,
}

/** Counts of upstreams that are remembered, those of the past among them. */
const maxCounts = 10_000

/** One for each process. */
export class UpstreamCredentials {
  readonly #ports: UpstreamCredentialPorts
  readonly #grants: TokenGrants
  readonly #exchanged: ExchangedTokens
  readonly #throttle: LogThrottle
  readonly #counts = new Map<string, TokenCounts>()
  /** Those in use, by their keys. */
  #inUse = new Map<string, Credentials>()

  constructor(ports: UpstreamCredentialPorts) {
    this.#ports = ports
    this.#grants = new TokenGrants({ ...ports, discovery: new Discovery(ports) })
    this.#exchanged = new ExchangedTokens(ports)
    this.#throttle = new LogThrottle(ports.clock, linePerMinute)
  }

  /** The credentials of an upstream: nothing is opened or fetched before a request needs it. */
  readonly open = (holder: Holder, auth: JsonMap, by?: OwnProxy): Credentials => {
    const { clock, share } = this.#ports
    const type = String(auth.type ?? 'basic')
    const key = keyOf(holder, auth, by?.of)
    const known = this.#inUse.get(key)
    if (known !== undefined) return known
    const counts = this.#countsOf(holder)
    const make = kinds[type]
    if (make === undefined) throw new TypeError(`no credentials of the type ${type}`)
    const made = make(
      { type, key, name: holder.upstream, auth },
      {
        ...{ clock, share },
        open: this.#openerOf(holder),
        grants: by ? this.#grantsBy(by.proxy) : this.#grants,
        exchanged: this.#exchanged,
        onRefused: () => {
          counts.refused += 1
        },
        onFetched: () => {
          counts.ok += 1
        },
        onFailure: (error) => {
          counts.failed += 1
          this.#tell(holder, error)
        },
      },
    )
    this.#inUse.set(key, made)
    return made
  }

  /** Closes those that are not among these: a load of a realm keeps what has not changed. */
  retain(used: Iterable<Credentials | undefined>): void {
    const kept = new Map<string, Credentials>()
    for (const one of used) if (one) kept.set(one.key, one)
    for (const [key, one] of this.#inUse) if (!kept.has(key)) one.close()
    this.#inUse = kept
  }

  /** The fetches of tokens since the start. */
  get counts(): readonly TokenCounts[] {
    return [...this.#counts.values()].filter(({ ok, failed, refused }) => ok + failed + refused > 0)
  }

  /** Those of an upstream whose requests leave by a proxy of its own: so do those for its tokens. */
  #grantsBy(proxy: EgressProxy): TokenGrants {
    const ports = {
      ...this.#ports,
      fetch: (...[url, request, isFixed, ca]: Parameters<ProviderFetch>) =>
        this.#ports.fetch(url, request, isFixed, ca, proxy),
    }
    return new TokenGrants({ ...ports, discovery: new Discovery(ports) })
  }

  #countsOf(holder: Holder): TokenCounts {
    const key = JSON.stringify([holder.realm_uri, holder.upstream])
    const known = this.#counts.get(key)
    if (known) return known
    const counts = { ...holder, ok: 0, failed: 0, refused: 0 }
    if (this.#counts.size < maxCounts) this.#counts.set(key, counts)
    return counts
  }

  #openerOf({ realm_uri, upstream }: Holder): Open {
    const { realms } = this.#ports
    return (value) =>
      realms.openSecret(realm_uri, value, realms.secretOrigins(realm_uri, 'upstreams', upstream))
  }

  #tell(holder: Holder, error: unknown): void {
    if (!this.#throttle.admits(`${holder.realm_uri} ${holder.upstream}`)) return
    const line =
      error instanceof OidcError
        ? { reason: error.message, ...error.answer }
        : { reason: why(error) }
    this.#ports.log.warn({ ...holder, ...line }, 'no token for an upstream')
  }
}

/** What the credentials of an upstream are known by, secrets as they are sealed. @param proxy its own one */
const keyOf = ({ realm_uri, upstream }: Holder, auth: JsonMap, proxy: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([realm_uri, upstream, auth, proxy]))
    .digest('base64url')
