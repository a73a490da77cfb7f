/** Logins of one realm at a provider of the test, on a node whose clock the test sets. */

import { CheckedFetch } from '#component/action/checked-fetch.ts'
import type { Log } from '#component/log.ts'
import { LoginCounts } from '#component/login-counts.ts'
import { Accounts } from '#component/oidc/accounts.ts'
import { BackchannelLogout } from '#component/oidc/backchannel-logout.ts'
import { IdTokens } from '#component/oidc/id-tokens.ts'
import { OidcLogin } from '#component/oidc/login.ts'
import { Providers } from '#component/oidc/providers.ts'
import type { LoginRequest } from '#component/oidc/redirects.ts'
import { SessionCounts } from '#component/oidc/session-counts.ts'
import { OidcError } from '#component/oidc-error.ts'
import { Logins } from '#component/realm/logins.ts'
import { Realms } from '#component/realm/realms.ts'
import { openKeptLogins } from '#component/wiring/logins/open-kept-logins.ts'
import { SetClock } from '#test/unit/replica/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { openTokens } from '#test/unit/token/doubles.ts'
import { client_id, client_secret, FakeProvider } from './fake-provider.ts'

export const realm_uri = 'com.example.shop'
export const callback = 'https://shop.example.com/v1/oidc/mock/callback'
const address = '203.0.113.7'

/** A clock whose timers run when the test says so. */
export class StillClock extends SetClock {
  readonly #timers = new Set<() => void>()

  after(_ms: number, run: () => void): () => void {
    this.#timers.add(run)
    return () => this.#timers.delete(run)
  }

  random(): number {
    return 0.5
  }

  /** Everything that waits for a time has waited long enough. */
  elapse(): void {
    for (const run of this.#timers) run()
    this.#timers.clear()
  }
}

interface Setup {
  readonly clock: StillClock
  readonly name?: string
}

/** A browser: it keeps the cookies of its logins. */
export interface Browser {
  readonly cookies: Map<string, string>
}

export const browser = (): Browser => ({ cookies: new Map() })

/** A node on which users of `provider` can log in. */
export async function openLogins(provider: FakeProvider, { clock, ...setup }: Setup) {
  const store = new MemoryStore()
  const tokens = await openTokens({ clock, store, ...setup })
  const { replica, revocations, tickets, box, kept } = tokens
  const lines: unknown[][] = []
  const note = (...line: unknown[]) => void lines.push(line)
  const log = { info: note, warn: note, error: note }
  const realms = new Realms({ replica, log, environment: {}, box })
  realms.start()
  const checked = new CheckedFetch({ clock })
  const fetch = checked.fetch.bind(checked)
  const accounts = new Accounts({ replica, realms, revocations, clock, log })
  accounts.start()
  const idTokens = new IdTokens({ replica, box, clock })
  const providers = new Providers({ realms, fetch, clock, log })
  const logins = new Logins({ realms })
  const ports = { realms, logins, providers, accounts, tickets, idTokens, revocations, box }
  const counts = new LoginCounts()
  const sessionCounts = new SessionCounts()
  /** What a process keeps of logins, of this store or of its own. */
  const openKept = (node = setup.name ?? 'a', ofStore = kept) => {
    const users = { logins, realms, revocations, sessionCounts }
    const context = { box, clock, log: log as unknown as Log, node, users }
    return openKeptLogins({ ...context, store: { logins: ofStore } }, providers)
  }
  const { keptTokens, rechecks, providerTokens, nodes } = openKept()
  const login = new OidcLogin({ ...ports, keptTokens, clock, counts, log })
  const backchannelLogout = new BackchannelLogout({ providers, revocations, log })

  /** Declares the realm with this provider. */
  const declare = (settings: object = {}, more: object = {}) =>
    realms.load({
      uri: realm_uri,
      authmethods: ['oidcrp', 'cookie', 'ticket'],
      ...more,
      info: {
        oidc_providers: {
          mock: {
            issuer: provider.issuer,
            ...{ client_id, client_secret, allow_unsafe_http: true },
            ...settings,
          },
        },
      },
    })
  await declare()

  /** @returns where the browser is sent */
  const begin = async ({ cookies }: Browser, more: Partial<LoginRequest> = {}) => {
    const begun = await login.begin({
      ...{ realm_uri, provider: 'mock', redirect_uri: '/home', client_id: 'all', device_id: 'all' },
      callbackUrl: () => callback,
      loginCookies: cookies,
      ...more,
    })
    for (const { name, value } of begun.cookies) {
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return begun.location
  }

  const finish = ({ cookies }: Browser, url: string, more: object = {}) =>
    login.finish({
      ...{ realm_uri, provider: 'mock', url, address, issuer: 'https://shop.example.com/v1' },
      cookieOf: (name) => cookies.get(name),
      ...more,
    })

  /** All of a login. */
  const logIn = async (by = browser()) => finish(by, provider.authorize(await begin(by)))

  /** Whether anybody has an account or a kept ID token. */
  const left = () =>
    (['oidc_user', 'id_token'] as const).flatMap((kind) =>
      replica.entries(kind).map((one) => one.id),
    )

  return {
    ...{
      ...tokens,
      ...ports,
      store,
      lines,
      login,
      backchannelLogout,
      sessionCounts,
      rechecks,
      providerTokens,
      nodes,
      openKept,
      /** Resolves when all that can go on has gone on. */
      settle: () => new Promise((resolve) => setImmediate(resolve)),
      counts,
      declare,
      begin,
      finish,
      logIn,
      left,
      clock,
    },
    close: () => checked.close(),
  }
}

/** A node of logins. */
export type LoginNode = Awaited<ReturnType<typeof openLogins>>

/** The code that something is refused with; undefined when it is not. Any other failure is passed on. */
export async function codeOf(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    if (error instanceof OidcError) return error.code
    throw error
  }
}

/** What {@link freshLogins} has made for the test that runs. */
export let clock: StillClock
export let provider: FakeProvider
export let node: LoginNode

/** In a suite: each test has a clock, a provider and a node of its own. */
export function freshLogins(): void {
  beforeEach(async () => {
    clock = new StillClock()
    provider = await FakeProvider.open(() => clock.now())
    node = await openLogins(provider, { clock })
  })
  afterEach(async () => {
    await node.close()
    await provider.close()
  })
}
