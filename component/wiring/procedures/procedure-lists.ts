/** The procedures of a document, with the state of their registrations and their calls at each node: all nodes are asked. */
import type { JsonMap } from '#component/syntax/values.ts'
import { askNodes, inOrderOfNodes, type Nodes, readMaps } from '#component/wiring/ask-nodes.ts'
import type { ProcedureStatus, Registrar } from './registrar.ts'

/** Of one process; answers the others from now on. */
export class ProcedureLists {
  readonly #registrar: Pick<Registrar, 'states'>
  readonly #node: string
  readonly #nodes: Nodes

  constructor(registrar: Pick<Registrar, 'states'>, node: string, nodes: Nodes) {
    this.#registrar = registrar
    this.#node = node
    this.#nodes = nodes
    nodes.answers.procedures = ({ api_spec }) => ({ procedures: this.#own(String(api_spec)) })
  }

  /** What any node has of the document, by realm and URI, with the states at the nodes that have it; and the nodes that have not answered. */
  async of(api_spec: string): Promise<JsonMap> {
    const read = ({ procedures }: JsonMap) => readMaps(procedures)
    const { answers, unheard } = await askNodes(this.#nodes, 'procedures', { api_spec }, read)
    const told = [this.#own(api_spec), ...answers].flat()
    // nodes may have different versions of the document for a moment
    const byName = Map.groupBy(told, ({ realm_uri, procedure, match, invoke }) =>
      JSON.stringify([realm_uri, procedure, match, invoke]),
    )
    const procedures = [...byName.keys()].sort().map((name) => {
      const [realm_uri, procedure, match, invoke] = JSON.parse(name) as string[]
      return { realm_uri, procedure, match, invoke, nodes: atNodes(byName.get(name) ?? []) }
    })
    return { procedures, unheard }
  }

  #own(wanted: string): readonly JsonMap[] {
    return this.#registrar
      .states()
      .filter(({ api_spec }) => api_spec === wanted)
      .map(({ api_spec: _known, ...status }) => ({ ...status, node: this.#node }))
  }
}

/** The members that differ by node. */
type AtNode = Omit<ProcedureStatus, 'api_spec' | 'realm_uri' | 'procedure' | 'match' | 'invoke'>

/** In the order of the nodes. */
const atNodes = (told: readonly JsonMap[]): readonly JsonMap[] =>
  inOrderOfNodes(
    (told as readonly (JsonMap & AtNode)[]).map(({ node, state, reason, calls, called_at }) => ({
      ...{ node, state, reason: reason ?? null, calls, called_at },
    })),
  )
