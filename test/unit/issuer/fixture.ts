/** A realm that accepts the tokens of an issuer of the test, on a node whose clock the test sets. */
import { CheckedFetch } from '#component/action/checked-fetch.ts'
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { maxAnswer } from '#component/issuer/fetch-keys.ts'
import { ForeignTokens } from '#component/issuer/foreign-tokens.ts'
import { ForeignUsers } from '#component/issuer/foreign-users.ts'
import { AllIssuerKeys } from '#component/issuer/issuer-keys.ts'
import { Accounts } from '#component/oidc/accounts.ts'
import { Realms } from '#component/realm/realms.ts'
import { JwtScheme } from '#component/security/jwt/authenticate.ts'
import { TokenError } from '#component/token/token-error.ts'
import { StillClock } from '#test/unit/oidc/login-fixture.ts'
import { protectedBy, requestWith } from '#test/unit/security/doubles.ts'
import { openTokens } from '#test/unit/token/doubles.ts'
import { FakeIssuer } from './fake-issuer.ts'

export const realm_uri = 'com.example.shop'

/** @param names of the issuers of the realm, each a server of its own */
export async function openForeign(...names: readonly string[]) {
  const clock = new StillClock()
  const servers = await Promise.all(names.map(() => FakeIssuer.open(() => clock.ms)))
  const { replica, revocations, box } = await openTokens({ clock })
  const logged: unknown[][] = []
  const note = (...line: unknown[]) => void logged.push(line)
  const log = { info: note, warn: note, error: note }
  const realms = new Realms({ replica, log, environment: {}, box })
  realms.start()
  const accounts = new Accounts({ replica, realms, revocations, clock, log })
  accounts.start()
  const outside = new CheckedFetch({ clock, maxBytes: maxAnswer })
  const keys = new AllIssuerKeys({ fetch: outside.fetch.bind(outside), clock, log })
  const tokens = new ForeignTokens({ realms, clock, keys, log })
  const users = new ForeignUsers({ realms, accounts, revocations })
  const scheme = new JwtScheme({ foreignTokens: tokens, foreignUsers: users, realms })

  /** Loads the realm; `settings` are added to those of the first issuer. */
  const declare = (settings: object = {}, more: object = {}) => {
    const own = servers.map((server, at) => [
      names[at],
      { ...server.settings, ...(at === 0 && settings) },
    ])
    return realms.load({
      ...{ uri: realm_uri, authmethods: ['jwt', 'ticket', 'oidcrp'], ...more },
      info: { jwt_issuers: Object.fromEntries(own) },
    })
  }
  await declare()

  /** Asks for a path under the issuer. */
  const ask = (token: string, issuer = names[0], object: object = {}, peername?: string) =>
    scheme.authenticate(requestWith({ authorization: `Bearer ${token}` }, peername), {
      ...protectedBy('jwt', { issuer, ...object }),
      realm_uri,
    })
  const [server] = servers
  if (!server) throw new Error('expected an issuer')
  return {
    ...{ clock, server, servers, realms, accounts, revocations, keys, tokens, users, logged },
    ...{ declare, ask },
    pass: (seconds: number) => {
      clock.ms += seconds * 1000
    },
    async close() {
      await outside.close()
      await Promise.all(servers.map((one) => one.close()))
    },
  }
}

/** Such a node. */
export type Foreign = Awaited<ReturnType<typeof openForeign>>

/** `ok` with the authid, or the status and the reason of the refusal. */
export async function answerTo(asking: () => Identity | Promise<Identity>): Promise<string> {
  try {
    const { authid } = await asking()
    return `ok ${authid}`
  } catch (error) {
    if (error instanceof TokenError) return `refused: ${error.reason}`
    if (!(error instanceof ServiceError)) throw error
    return `${error.status} ${error.message}`
  }
}
