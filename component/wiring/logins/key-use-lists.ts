/** When the API keys of a realm were used last at any node: each node is asked for what its store knows. */
import type { JsonMap } from '#component/syntax/values.ts'
import { isMap } from '#component/syntax/values.ts'
import type { ApiKeys } from '#component/token/api-key.ts'
import { askNodes, type Nodes } from '#component/wiring/ask-nodes.ts'

/** Uses that one node tells at most: the latest. */
const mostUses = 10_000

/** By id of the key; seconds since the epoch, of whole minutes. */
type Uses = ReadonlyMap<string, number>

/** Of one process; answers the others from now on. */
export class KeyUseLists {
  readonly #keys: Pick<ApiKeys, 'lastUses'>
  readonly #nodes: Nodes

  constructor(keys: Pick<ApiKeys, 'lastUses'>, nodes: Nodes) {
    this.#keys = keys
    this.#nodes = nodes
    nodes.answers.key_uses = async ({ realm_uri }) => {
      const uses = [...(await keys.lastUses(String(realm_uri)))]
      const latest = uses.sort(([, a], [, b]) => b - a).slice(0, mostUses)
      return { uses: Object.fromEntries(latest) }
    }
  }

  /** The last uses of the keys of a realm; those that only nodes know which do not answer are missing. */
  async of(realm_uri: string): Promise<Uses> {
    const [own, { answers }] = await Promise.all([
      this.#keys.lastUses(realm_uri),
      askNodes(this.#nodes, 'key_uses', { realm_uri }, readUses),
    ])
    const found = new Map(own)
    for (const [id, usedAt] of answers.flatMap((uses) => [...uses])) {
      if (usedAt > (found.get(id) ?? 0)) found.set(id, usedAt)
    }
    return found
  }
}

function readUses({ uses }: JsonMap): Uses | undefined {
  if (!isMap(uses)) return undefined
  return new Map(Object.entries(uses).map(([id, usedAt]) => [id, Number(usedAt) || 0]))
}
