/** The tickets that have come to all nodes: each node is asked for those that it has seen. */
import type { JsonMap } from '#component/syntax/values.ts'
import { askNodes, type Nodes, readMaps } from '#component/wiring/ask-nodes.ts'
import type { WiringContext } from '#component/wiring/context.ts'

/** As many tickets are told, by each node and of all. */
const mostTickets = 500

/** What one node has seen. */
interface Page {
  readonly sessions: readonly JsonMap[]
  /** Whether it is all. */
  readonly is_whole: boolean
}

/** Lists of tickets, as any node of the cluster answers them. */
export interface TicketList extends Page {
  /** The nodes that have not answered. */
  readonly unheard: readonly string[]
}

/** Of one process; answers the others from now on. */
export class TicketLists {
  readonly #context: Pick<WiringContext, 'node' | 'users'>
  readonly #nodes: Nodes

  constructor(context: Pick<WiringContext, 'node' | 'users'>, nodes: Nodes) {
    this.#context = context
    this.#nodes = nodes
    nodes.answers.sessions = ({ realm_uri, authid }) => ({
      ...this.#own(String(realm_uri), typeof authid === 'string' ? authid : undefined),
    })
  }

  /** Those of a realm that hold, the last seen first; of a ticket that several nodes have seen, the last time. */
  async of(realm_uri: string, authid: string | undefined): Promise<TicketList> {
    const question = { realm_uri, ...(authid !== undefined && { authid }) }
    const { answers, unheard } = await askNodes(this.#nodes, 'sessions', question, readPage)
    const pages = [this.#own(realm_uri, authid), ...answers]
    const found = new Map<unknown, JsonMap>()
    for (const ticket of pages.flatMap(({ sessions }) => sessions)) {
      const known = found.get(ticket.id)
      if (known === undefined || seenAt(known) < seenAt(ticket)) found.set(ticket.id, ticket)
    }
    const sessions = [...found.values()].sort((a, b) => seenAt(b) - seenAt(a))
    const isWhole = sessions.length <= mostTickets && pages.every((page) => page.is_whole)
    return {
      sessions: sessions.slice(0, mostTickets),
      is_whole: isWhole && unheard.length === 0,
      unheard,
    }
  }

  #own(realm_uri: string, authid: string | undefined): Page {
    const { node, users } = this.#context
    const all = users.seenTickets.list(realm_uri, authid)
    const sessions = all.slice(0, mostTickets).map((ticket) => ({ ...ticket, node }))
    return { sessions, is_whole: sessions.length === all.length }
  }
}

const seenAt = ({ seen_at }: JsonMap): number => Number(seen_at)

function readPage(answer: JsonMap): Page | undefined {
  const sessions = readMaps(answer.sessions)
  return sessions && { sessions, is_whole: answer.is_whole === true }
}
