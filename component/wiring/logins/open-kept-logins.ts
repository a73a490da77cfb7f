/** What a node keeps of logins at providers, and the questions of nodes about logins that others keep. */
import { type KeptTokenPorts, KeptTokens } from '#component/oidc/kept/kept-tokens.ts'
import { answerNode, LoginNodes } from '#component/oidc/kept/login-nodes.ts'
import { ProviderTokens } from '#component/oidc/kept/provider-tokens.ts'
import { Rechecks } from '#component/oidc/kept/rechecks.ts'
import { Renewals } from '#component/oidc/kept/renewals.ts'
import type { Providers } from '#component/oidc/providers.ts'
import type { Sync } from '#component/sync/sync.ts'
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

/** Answers other nodes from now on, and asks them where each has a store of its own. */
export function askLoginNodes(
  logins: KeptLogins,
  sync: Pick<Sync, 'ask' | 'answers'>,
  isStoreShared: boolean,
): void {
  sync.answers.login = (question) => answerNode(question, logins)
  if (isStoreShared) return
  logins.nodes.ask = (node, question) => sync.ask(node, 'login', question)
}
