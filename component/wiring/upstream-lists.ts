/** The upstreams of a realm, with what has become of their targets at each node: all nodes are asked. */
import type { JsonMap } from '#component/syntax/values.ts'
import type { UpstreamTable } from '#component/upstreams/table.ts'
import type { Upstream } from '#component/upstreams/upstream.ts'
import { askNodes, type Nodes, readMaps } from './ask-nodes.ts'

/** What one process tells of a target. */
type Told = JsonMap & { readonly upstream: string; readonly url: string }

/** Of one process; answers the others from now on. */
export class UpstreamLists {
  readonly #table: Pick<UpstreamTable, 'of'>
  readonly #node: string
  readonly #nodes: Nodes

  constructor(table: Pick<UpstreamTable, 'of'>, node: string, nodes: Nodes) {
    this.#table = table
    this.#node = node
    this.#nodes = nodes
    nodes.answers.upstreams = ({ realm_uri }) => ({ targets: this.#own(String(realm_uri)) })
  }

  /** The upstreams as this process has them, with the states at all nodes; and the nodes that have not answered. */
  async of(realm_uri: string): Promise<JsonMap> {
    const question = { realm_uri }
    const read = ({ targets }: JsonMap) => readMaps(targets) as readonly Told[] | undefined
    const { answers, unheard } = await askNodes(this.#nodes, 'upstreams', question, read)
    const told = [...this.#own(realm_uri), ...answers.flat()]
    const nodesOf = (upstream: string, url: string) =>
      told
        .filter((one) => one.upstream === upstream && one.url === url)
        .map(({ upstream: _name, url: _url, ...state }) => state)
        .sort((a, b) => String(a.node).localeCompare(String(b.node)))
    const upstreams = this.#table.of(realm_uri).map(({ settings }) => ({
      name: settings.name,
      balance: settings.balance,
      targets: settings.targets.map(({ url, weight, group, isBackup, isDrained }) => ({
        ...{ url, weight, group, backup: isBackup, drain: isDrained },
        nodes: nodesOf(settings.name, url),
      })),
    }))
    return { upstreams, unheard }
  }

  #own(realm_uri: string): Told[] {
    return this.#table.of(realm_uri).flatMap((upstream) => statesOf(upstream, this.#node))
  }
}

const statesOf = (upstream: Upstream, node: string): Told[] =>
  upstream.states().map(({ target, state }) => ({
    ...{ upstream: upstream.settings.name, url: target.url, node, state },
    ...(target.address !== undefined && { address: target.address }),
    since: target.since,
    pending: target.pending,
    last_error: target.lastError ?? null,
  }))
