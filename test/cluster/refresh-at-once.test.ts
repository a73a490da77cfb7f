/** A thousand uses of one refresh token, at two gateways on one database, give one next token. Needs Debian's PostgreSQL. */
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { ClusterNode } from './cluster-node.ts'
import { afterGrace, expectOneHead, logIn, refreshAtOnce } from './refresh-at-once.ts'

describe('two gateways on one PostgreSQL', () => {
  let server: Postgres
  const nodes: ClusterNode[] = []
  before(async () => {
    server = await startPostgres()
  })
  after(async () => {
    for (const node of nodes) await node.discard()
    await server?.remove()
  })

  it('give one next token for a refresh token that is used 1,000 times at once', async () => {
    const settings = {
      'store.url': await server.database(),
      'store.key': 'the key of all these gateways',
    }
    const start = async (name: string, clockOffset = 0) => {
      const node = await ClusterNode.make({ name, clockOffset, settings })
      nodes.push(node)
      await node.start()
      return node
    }
    const first = await start('node-1')
    const token = await logIn(first)
    // what the first one has stored the others read when they start
    const second = await start('node-2')
    const head = await refreshAtOnce([first, second], token, 1000)
    await expectOneHead(await start('node-3', afterGrace), token, head)
  })
})
