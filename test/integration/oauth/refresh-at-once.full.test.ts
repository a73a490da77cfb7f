/** A thousand uses of one refresh token, at a gateway with its own store, give one next token. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClusterNode } from '#test/cluster/cluster-node.ts'
import { afterGrace, expectOneHead, logIn, refreshAtOnce } from '#test/cluster/refresh-at-once.ts'

describe('a gateway on SQLite', function () {
  this.timeout(60_000)
  const nodes: ClusterNode[] = []
  const data_dir = mkdtempSync(join(tmpdir(), 'gateway-refresh-'))
  after(async () => {
    for (const node of nodes) await node.discard()
    rmSync(data_dir, { recursive: true, force: true })
  })

  const start = async (clockOffset = 0) => {
    const node = await ClusterNode.make({ name: 'node-1', clockOffset, settings: { data_dir } })
    nodes.push(node)
    await node.start()
    return node
  }

  it('gives one next token for a refresh token that is used 1,000 times at once', async () => {
    const node = await start()
    const token = await logIn(node)
    const head = await refreshAtOnce([node], token, 1000)
    await node.end('SIGTERM')
    await expectOneHead(await start(afterGrace), token, head)
  })
})
