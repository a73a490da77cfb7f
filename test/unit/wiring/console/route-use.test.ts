/** The use of routes at several nodes, each of which is asked. */
import { expect } from 'chai'
import type { JsonMap } from '#component/syntax/values.ts'
import { RouteUse } from '#component/wiring/console/route-use.ts'

const route = { api: 'com.example.orders', version: '1.0', route: '/orders', method: 'get' }

type Answer = JsonMap | undefined

/** A node that started at 100 and has seen one request, beside peers that answer so; `undefined` answers nothing. */
function useOf(peers: Readonly<Record<string, Answer>>, isWhole = true) {
  const nodes = {
    answers: {},
    processNames: Object.keys(peers),
    async ask(node: string): Promise<JsonMap> {
      const answer = peers[node]
      if (answer === undefined) throw new Error('away')
      return answer
    },
  }
  const window = { used: async () => ({ routes: [{ ...route, count: 1, used_at: 150 }], isWhole }) }
  return { use: new RouteUse(window, nodes, 100), nodes }
}

describe('the use of routes', () => {
  it('is that of all nodes together, since the last of them has started', async () => {
    const post = { ...route, method: 'post', count: 3, used_at: 140 }
    const peer = {
      since: 120,
      is_whole: true,
      routes: [{ ...route, count: 2, used_at: 170 }, post],
    }
    expect(await useOf({ b: peer }).use.of('com.example.orders')).to.deep.equal({
      routes: [{ ...route, count: 3, used_at: 170 }, post],
      ...{ since: 120, is_whole: true, unheard: [] },
    })
  })

  it('is answered to the others', async () => {
    const { nodes } = useOf({})
    const { routes } = nodes.answers as { routes: (fields: JsonMap) => Promise<JsonMap> }
    expect(await routes({ api_spec: 'com.example.orders' })).to.deep.equal({
      ...{ since: 100, is_whole: true },
      routes: [{ ...route, count: 1, used_at: 150 }],
    })
  })

  for (const [what, peers, isWhole, unheard] of [
    ['a node does not answer', { b: undefined }, true, ['b']],
    ['a node of an earlier version answers nothing', { b: {} }, true, ['b']],
    ['a node has not told all', { b: { since: 1, routes: [], is_whole: false } }, true, []],
    ['this node has not told all', {}, false, []],
  ] as const) {
    it(`is not whole where ${what}`, async () => {
      const found = await useOf(peers, isWhole).use.of('com.example.orders')
      expect([found.is_whole, found.unheard]).to.deep.equal([false, unheard])
    })
  }
})
