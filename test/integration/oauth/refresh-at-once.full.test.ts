/** A thousand uses of one refresh token, at a gateway with its own store, give one next token. */
import {
  afterGrace,
  expectOneHead,
  logIn,
  nodesOfOneStore,
  refreshAtOnce,
} from '#test/cluster/refresh-at-once.ts'

describe('a gateway on SQLite', () => {
  const start = nodesOfOneStore()

  it('gives one next token for a refresh token that is used 1,000 times at once', async () => {
    const node = await start()
    const token = await logIn(node)
    const head = await refreshAtOnce([node], token, 1000)
    await node.end('SIGTERM')
    await expectOneHead(await start(afterGrace), token, head)
  })
})
