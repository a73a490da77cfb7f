/** Three gateways on one router, each behind a link of its own that can be cut; and what a test asks of them. */
import { TcpProxy } from '#test/support/peers/tcp-proxy.ts'
import type { Shown } from './acknowledgements.ts'
import { ClusterNode } from './cluster-node.ts'

/** What a cluster is made of. */
export interface ClusterPlan {
  /** `ws://127.0.0.1:<port>/<path>` */
  readonly routerUrl: string
  /** One database for all; absent: a SQLite file a node. */
  readonly storeUrl?: string
  /** How far the clocks of the nodes are off; milliseconds. */
  readonly clockOffsets?: readonly number[]
  /** Further options of all nodes, by dotted key. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A node and its link to the router. */
export interface Member {
  readonly node: ClusterNode
  readonly link: TcpProxy
}

/** The secret that the nodes share. */
export const clusterKey = 'a secret that only the nodes of this test know'

const usualOffsets = [-5000, 0, 5000]

/** How long an answer may take before it counts as none; milliseconds. */
const answerTimeout = 20_000

const isRegistry = (value: unknown): value is { digest: string } =>
  typeof value === 'object' && value !== null && 'digest' in value

export class Cluster {
  readonly members: readonly Member[]

  private constructor(members: readonly Member[]) {
    this.members = members
  }

  static async start(plan: ClusterPlan): Promise<Cluster> {
    const { routerUrl, storeUrl, clockOffsets = usualOffsets, settings } = plan
    const { port, pathname } = new URL(routerUrl)
    const members: Member[] = []
    for (const [index, clockOffset] of clockOffsets.entries()) {
      const link = await TcpProxy.open(Number(port))
      const node = await ClusterNode.make({
        name: `node-${index + 1}`,
        clockOffset,
        settings: {
          'wamp.url': `ws://127.0.0.1:${link.port}${pathname}`,
          'cluster.key': clusterKey,
          ...(storeUrl === undefined ? {} : { 'store.url': storeUrl }),
          ...settings,
        },
      })
      members.push({ node, link })
      await node.start()
    }
    return new Cluster(members)
  }

  async stop(): Promise<void> {
    for (const { node, link } of this.members) {
      await node.discard()
      await link.close()
    }
  }

  /** One digest on all nodes? */
  async isConverged(): Promise<boolean> {
    const digests = await Promise.all(
      this.members.map(async ({ node }) => {
        const status = await askJson(`${node.adminUrl}/registry`).catch(() => undefined)
        return isRegistry(status) ? status.digest : node.name
      }),
    )
    return new Set(digests).size === 1
  }
}

/** GET; the body as JSON. Rejects unless it is 200. */
export async function askJson(url: string): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerTimeout) })
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
  return answer.json()
}

/** POST of JSON; status and body. Rejects when there is no whole answer in time. */
export async function postJson(url: string, body: unknown) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerTimeout),
  })
  const value: unknown = await answer.json()
  return { status: answer.status, body: value as { readonly ts?: number; readonly code?: string } }
}

/** What a node shows of every document. */
export async function shownBy(node: Pick<ClusterNode, 'adminUrl'>): Promise<Shown[]> {
  const documents = (await askJson(`${node.adminUrl}/api_specs`)) as {
    id: string
    ts: number
    variables: { version: number }
  }[]
  return documents.map(({ id, ts, variables }) => ({ id, ts, version: variables.version }))
}

/** Waits for a condition; false when it does not hold within the time. Milliseconds. */
export async function holdsWithin(ms: number, condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + ms
  for (;;) {
    if (await condition()) return true
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
