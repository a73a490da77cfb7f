/** Which routes of a document, or of all, were asked for since the processes of all nodes have been there: how often, and when last. */
import type { JsonMap } from '#component/syntax/values.ts'
import { askNodes, type Nodes, readMaps } from '#component/wiring/ask-nodes.ts'
import type { RequestWindow } from './request-window.ts'

/** As many routes are told by each process. */
const mostRoutes = 20_000

/** What one process, or all of them, tell of a document. */
interface Use {
  /** The routes that were asked for. */
  readonly routes: readonly JsonMap[]
  /** When the process started, or the last of them; milliseconds since the epoch. */
  readonly since: number
  /** Whether a route that is not among {@link routes} was not asked for. */
  readonly is_whole: boolean
}

/** Of one process; answers the others from now on. */
export class RouteUse {
  readonly #window: Pick<RequestWindow, 'used'>
  readonly #nodes: Nodes
  readonly #startedAt: number

  /** @param startedAt milliseconds since the epoch */
  constructor(window: Pick<RequestWindow, 'used'>, nodes: Nodes, startedAt: number) {
    this.#window = window
    this.#nodes = nodes
    this.#startedAt = startedAt
    nodes.answers.routes = async ({ api_spec }) => ({
      ...(await this.#own(typeof api_spec === 'string' ? api_spec : undefined)),
    })
  }

  /** Of all nodes together. */
  async of(api_spec: string | undefined): Promise<Use & { readonly unheard: readonly string[] }> {
    const own = await this.#own(api_spec)
    const question = api_spec === undefined ? {} : { api_spec }
    const { answers, unheard } = await askNodes(this.#nodes, 'routes', question, readUse)
    const all = [own, ...answers]
    const routes = new Map<string, JsonMap>()
    for (const one of all.flatMap((use) => use.routes)) {
      const { api, version, route, method } = one
      const key = JSON.stringify([api, version, route, method])
      const { count = 0, used_at = 0 } = routes.get(key) ?? {}
      routes.set(key, {
        ...{ api, version, route, method },
        count: Number(count) + Number(one.count),
        used_at: Math.max(Number(used_at), Number(one.used_at)),
      })
    }
    return {
      routes: [...routes.values()],
      since: Math.max(...all.map(({ since }) => since)),
      is_whole: all.every(({ is_whole }) => is_whole) && unheard.length === 0,
      unheard,
    }
  }

  async #own(api_spec: string | undefined): Promise<Use> {
    const { routes, isWhole } = await this.#window.used(api_spec)
    return {
      routes: routes.slice(0, mostRoutes).map((one) => ({ ...one })),
      since: this.#startedAt,
      is_whole: isWhole && routes.length <= mostRoutes,
    }
  }
}

function readUse({ since, is_whole, ...answer }: JsonMap): Use | undefined {
  const routes = readMaps(answer.routes)
  if (!routes || typeof since !== 'number') return undefined
  return { routes, since, is_whole: is_whole === true }
}
