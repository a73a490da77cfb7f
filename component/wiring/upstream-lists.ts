/** The upstreams of a realm, with what has become of their targets at each node: all nodes are asked. */
import type { JsonMap } from '#component/syntax/values.ts'
import type { UpstreamTable } from '#component/upstreams/table.ts'
import type { Upstream } from '#component/upstreams/upstream.ts'
import { askNodes, inOrderOfNodes, type Nodes, readMaps } from './ask-nodes.ts'

/** What one process tells of a target. */
type ToldTarget = JsonMap & { readonly upstream: string; readonly url: string }

/** What one process tells of the token that it sends to an upstream. */
type ToldToken = JsonMap & { readonly upstream: string }

/** What one process tells. */
interface Told {
  readonly targets: readonly ToldTarget[]
  readonly tokens: readonly ToldToken[]
}

/** Of one process; answers the others from now on. */
export class UpstreamLists {
  readonly #table: Pick<UpstreamTable, 'of'>
  readonly #node: string
  readonly #nodes: Nodes

  constructor(table: Pick<UpstreamTable, 'of'>, node: string, nodes: Nodes) {
    this.#table = table
    this.#node = node
    this.#nodes = nodes
    nodes.answers.upstreams = ({ realm_uri }) => ({ ...this.#own(String(realm_uri)) })
  }

  /** The upstreams as this process has them, with the states at all nodes; and the nodes that have not answered. */
  async of(realm_uri: string): Promise<JsonMap> {
    const question = { realm_uri }
    const read = ({ targets, tokens }: JsonMap): Told | undefined => {
      const known = readMaps(targets) as readonly ToldTarget[] | undefined
      // a node of an earlier version tells no tokens
      return known && { targets: known, tokens: (readMaps(tokens) ?? []) as readonly ToldToken[] }
    }
    const { answers, unheard } = await askNodes(this.#nodes, 'upstreams', question, read)
    const told = [this.#own(realm_uri), ...answers]
    const targets = told.flatMap((one) => one.targets)
    const tokens = told.flatMap((one) => one.tokens)
    const upstreams = this.#table
      .of(realm_uri)
      .map(({ settings: { name, balance, auth, ...of } }) => ({
        ...{ name, balance },
        targets: of.targets.map(({ url, weight, group, isBackup, isDrained }) => ({
          ...{ url, weight, group, backup: isBackup, drain: isDrained },
          nodes: byNode(targets.filter((one) => one.upstream === name && one.url === url)),
        })),
        auth: auth
          ? { type: auth.type, tokens: byNode(tokens.filter((one) => one.upstream === name)) }
          : null,
      }))
    return { upstreams, unheard }
  }

  #own(realm_uri: string): Told {
    const all = this.#table.of(realm_uri)
    return {
      targets: all.flatMap((upstream) => statesOf(upstream, this.#node)),
      tokens: all.flatMap((upstream) => tokensOf(upstream, this.#node)),
    }
  }
}

/** In the order of the nodes, without the names that all have in common. */
const byNode = (told: readonly JsonMap[]): readonly JsonMap[] =>
  inOrderOfNodes(told.map(({ upstream: _name, url: _url, ...state }) => state))

const statesOf = (upstream: Upstream, node: string): ToldTarget[] =>
  upstream.states().map(({ target, state }) => ({
    ...{ upstream: upstream.settings.name, url: target.url, node, state },
    ...(target.address !== undefined && { address: target.address }),
    ...{ since: target.since, failures: target.failures, attempts: { ...target.ends } },
    ...{ pending: target.pending, connections: target.connections, sockets: target.sockets },
    last_error: target.lastError ?? null,
    last_check: target.lastCheck
      ? { at: target.lastCheck.at, problem: target.lastCheck.problem ?? null }
      : null,
  }))

/** The token that the process sends, without its text. */
function tokensOf({ settings, credentials }: Upstream, node: string): ToldToken[] {
  const { token } = credentials ?? {}
  if (token === undefined) return []
  return [{ upstream: settings.name, node, fetched_at: token.from, expires_at: token.until }]
}
