/** The procedures of a document at several nodes, each of which is asked. */
import { expect } from 'chai'
import type { JsonMap } from '#component/syntax/values.ts'
import { ProcedureLists } from '#component/wiring/procedures/procedure-lists.ts'
import type { ProcedureStatus } from '#component/wiring/procedures/registrar.ts'

const api_spec = 'com.example.billing'
const none = { ok: 0, error: 0, canceled: 0 }

const name = {
  ...{ realm_uri: 'com.example', procedure: 'com.example.invoice.get' },
  ...{ match: 'exact', invoke: 'roundrobin' },
}
const registered = { state: 'registered', calls: { ...none, ok: 2 }, called_at: 150 } as const
const refused = { state: 'refused', reason: 'taken', calls: none, called_at: null } as const

const own: readonly ProcedureStatus[] = [
  { api_spec, ...name, ...registered },
  { api_spec: 'com.example.other', ...name, ...registered },
]

/** What node b tells beside peers that answer so; `undefined` answers nothing. */
function listsOf(peers: Readonly<Record<string, JsonMap | undefined>>) {
  const nodes = {
    answers: {},
    processNames: Object.keys(peers),
    async ask(node: string): Promise<JsonMap> {
      const answer = peers[node]
      if (answer === undefined) throw new Error('away')
      return answer
    },
  }
  return { lists: new ProcedureLists({ states: () => own }, 'b', nodes), nodes }
}

describe('the procedures of a document', () => {
  it('have the state and the calls of each node', async () => {
    const ofA = { ...name, ...refused, node: 'a' }
    const older = { ...name, invoke: 'single', ...registered, node: 'c' }
    const { lists } = listsOf({ a: { procedures: [ofA] }, c: { procedures: [older] } })
    expect(await lists.of(api_spec)).to.deep.equal({
      procedures: [
        {
          ...name,
          nodes: [
            { node: 'a', ...refused },
            { node: 'b', ...registered, reason: null },
          ],
        },
        { ...name, invoke: 'single', nodes: [{ node: 'c', ...registered, reason: null }] },
      ],
      unheard: [],
    })
  })

  it('are answered to the others, without those of other documents', async () => {
    const { nodes } = listsOf({})
    const answers = nodes.answers as { procedures: (fields: JsonMap) => JsonMap }
    expect(answers.procedures({ api_spec })).to.deep.equal({
      procedures: [{ ...name, ...registered, node: 'b' }],
    })
  })

  it('name the nodes that have not answered, or are of an earlier version', async () => {
    const found = await listsOf({ c: undefined, a: {} }).lists.of(api_spec)
    expect(found.unheard).to.deep.equal(['a', 'c'])
  })
})
