/** Makes the parts of a process that keep the tokens of logins at providers, and use them. */
import { type KeptTokenPorts, KeptTokens } from '#component/oidc/kept/kept-tokens.ts'
import { LoginNodes } from '#component/oidc/kept/login-nodes.ts'
import { ProviderTokens } from '#component/oidc/kept/provider-tokens.ts'
import { Rechecks } from '#component/oidc/kept/rechecks.ts'
import { Renewals } from '#component/oidc/kept/renewals.ts'
import type { Providers } from '#component/oidc/providers.ts'
import type { WiringContext } from '#component/wiring/context.ts'

/** The parts of a process that it uses. */
export interface KeptLoginContext extends Pick<WiringContext, 'box' | 'clock' | 'log' | 'node'> {
  readonly store: { readonly logins: KeptTokenPorts['store'] }
  readonly users: Pick<
    WiringContext['users'],
    'logins' | 'realms' | 'revocations' | 'sessionCounts'
  >
}

/** Of one process. */
export interface KeptLogins {
  readonly keptTokens: KeptTokens
  readonly rechecks: Rechecks
  readonly providerTokens: ProviderTokens
  readonly nodes: LoginNodes
}

/** Makes the parts. Other nodes are not asked yet. */
export function openKeptLogins(
  { box, clock, log, node, store, users }: KeptLoginContext,
  providers: Providers,
): KeptLogins {
  const { logins, realms, revocations, sessionCounts } = users
  const keptTokens = new KeptTokens({ store: store.logins, box, clock, log })
  const nodes = new LoginNodes(node)
  const renewals = new Renewals({
    ...{ providers, logins, revocations, sessionCounts, log },
    tokens: keptTokens,
  })
  const ports = { tokens: keptTokens, renewals, nodes, realms, clock, log }
  const rechecks = new Rechecks({ ...ports, sessionCounts })
  const providerTokens = new ProviderTokens(ports)
  return { keptTokens, rechecks, providerTokens, nodes }
}
