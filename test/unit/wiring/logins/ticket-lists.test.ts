/** Lists of the tickets that have come to several nodes, each of which is asked. */
import { expect } from 'chai'
import type { Answers } from '#component/sync/sync-ports.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { SeenTicket } from '#component/token/seen-tickets.ts'
import { TicketLists } from '#component/wiring/logins/ticket-lists.ts'

const realm = 'com.example.shop'

/** A ticket that has come. */
const ticket = (id: string, seen_at: number): SeenTicket => ({
  ...{ id, seen_at, authid: 'ada', authmethod: 'oidcrp', provider: 'main' },
  ...{ issued_at: 1, expires_at: 1_000, address: '192.0.2.1' },
})

/** Nodes by their names, each with what it has seen; `undefined` answers nothing. */
function clusterOf(seen: Readonly<Record<string, readonly SeenTicket[] | undefined>>) {
  const asked: unknown[] = []
  const answersOf = new Map<string, Answers>()
  const lists = new Map<string, TicketLists>()
  for (const [node, tickets = []] of Object.entries(seen)) {
    const answers: Answers = {}
    answersOf.set(node, answers)
    const seenTickets = {
      list: (realm_uri: string, authid?: string) => {
        asked.push([node, realm_uri, authid])
        return [...tickets]
      },
    }
    const users = { seenTickets } as unknown as ConstructorParameters<
      typeof TicketLists
    >[0]['users']
    const nodes = {
      answers,
      processNames: Object.keys(seen).filter((name) => name !== node),
      async ask(name: string, _question: string, content: JsonMap): Promise<JsonMap> {
        if (seen[name] === undefined) throw new Error('away')
        return (await answersOf.get(name)?.sessions?.(content)) ?? {}
      },
    }
    lists.set(node, new TicketLists({ node, users }, nodes))
  }
  const list = async (node: string, authid?: string) => {
    const found = await lists.get(node)?.of(realm, authid)
    const told = found?.sessions.map(({ id, node: at, seen_at }) => `${id} ${at} ${seen_at}`)
    return { told, is_whole: found?.is_whole, unheard: found?.unheard }
  }
  return { asked, list }
}

describe('the list of tickets of a cluster', () => {
  it('has those of all nodes, each with the node that has seen it last', async () => {
    const { asked, list } = clusterOf({
      a: [ticket('one', 5), ticket('two', 3)],
      b: [ticket('two', 4), ticket('three', 2)],
    })
    for (const node of ['a', 'b']) {
      expect(await list(node, 'ada')).to.deep.equal({
        told: ['one a 5', 'two b 4', 'three b 2'],
        ...{ is_whole: true, unheard: [] },
      })
    }
    expect(asked).to.deep.include.members([
      ['a', realm, 'ada'],
      ['b', realm, 'ada'],
    ])
  })

  it('says which nodes have not answered', async () => {
    const { list } = clusterOf({ a: [ticket('one', 5)], b: undefined, c: [] })
    expect(await list('a')).to.deep.equal({
      told: ['one a 5'],
      ...{ is_whole: false, unheard: ['b'] },
    })
  })

  it('has at most 500, and says that there are more', async () => {
    const many = Array.from({ length: 501 }, (_, each) => ticket(`t${each}`, 1_000 - each))
    const { list } = clusterOf({ a: many, b: [ticket('last', 9_000)] })
    const { told, is_whole } = await list('b')
    expect([told?.length, told?.[0], is_whole]).to.deep.equal([500, 'last b 9000', false])
  })
})
