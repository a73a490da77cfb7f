/** A gateway is killed before a client has the answer to its refresh, and comes back later: the repeat is within the grace, or not. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ClusterNode } from '#test/cluster/cluster-node.ts'
import { expectOneHead, logIn, refreshAtOnce } from '#test/cluster/refresh-at-once.ts'

describe('a refresh whose answer was lost with its gateway', function () {
  this.timeout(60_000)
  const nodes: ClusterNode[] = []
  const data_dir = mkdtempSync(join(tmpdir(), 'gateway-refresh-'))
  after(async () => {
    for (const node of nodes) await node.discard()
    rmSync(data_dir, { recursive: true, force: true })
  })

  const start = async (clockOffset = 0) => {
    const settings = { data_dir, 'oauth2.refresh_grace': '60' }
    const node = await ClusterNode.make({ name: 'node-1', clockOffset, settings })
    nodes.push(node)
    await node.start()
    return node
  }

  it('is repeated within oauth2.refresh_grace, and ends the login after it', async () => {
    const node = await start()
    const token = await logIn(node)
    const lost = await refreshAtOnce([node], token, 1)
    await node.end('SIGKILL')
    // 30 s later
    const second = await start(30_000)
    expect(await refreshAtOnce([second], token, 1)).to.equal(lost)
    await second.end('SIGKILL')
    await expectOneHead(await start(91_000), token, lost)
  })
})
