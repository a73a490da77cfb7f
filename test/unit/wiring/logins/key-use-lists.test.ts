/** The last uses of the API keys of a realm at several nodes, each of which is asked. */
import { expect } from 'chai'
import type { Answers } from '#component/sync/sync-ports.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { KeyUseLists } from '#component/wiring/logins/key-use-lists.ts'

const realm = 'com.example.shop'

type Uses = Readonly<Record<string, number>>

/** What the first node tells of uses that its peers know; `undefined` answers nothing. */
async function heardBy(own: Uses, peers: readonly (Uses | undefined)[]) {
  const asked: unknown[] = []
  const keysOf = (uses: Uses) => ({
    async lastUses(realm_uri: string) {
      asked.push(realm_uri)
      return new Map(Object.entries(uses))
    },
  })
  const answersOf = peers.map((uses) => {
    const answers: Answers = {}
    const nodes = { answers, processNames: [], ask: async () => ({}) }
    if (uses !== undefined) new KeyUseLists(keysOf(uses), nodes)
    return answers
  })
  const lists = new KeyUseLists(keysOf(own), {
    answers: {},
    processNames: peers.map((_, at) => String(at)),
    async ask(name: string, _question: string, content: JsonMap): Promise<JsonMap> {
      const answer = await answersOf[Number(name)]?.key_uses?.(content)
      if (answer === undefined) throw new Error('unknown question')
      return answer
    },
  })
  return { uses: Object.fromEntries(await lists.of(realm)), asked }
}

describe('the last uses of API keys in a cluster', () => {
  it('are the latest of all nodes, also where one does not answer', async () => {
    const { uses, asked } = await heardBy({ a: 60, b: 120 }, [{ a: 180, c: 60 }, undefined])
    expect(uses).to.deep.equal({ a: 180, b: 120, c: 60 })
    expect(asked).to.deep.equal([realm, realm])
  })

  it('are told of at most 10,000 keys by one node, the latest', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`k${at}`, at]))
    const { uses } = await heardBy({}, [many])
    expect([Object.keys(uses).length, uses.k0, uses.k1]).to.deep.equal([10_000, undefined, 1])
  })
})
