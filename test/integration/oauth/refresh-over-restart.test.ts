/** A gateway is killed before a client has the answer to its refresh, and comes back later: the repeat is within the grace, or not. */
import { expect } from 'chai'
import {
  expectOneHead,
  logIn,
  nodesOfOneStore,
  refreshAtOnce,
} from '#test/cluster/refresh-at-once.ts'

describe('a refresh whose answer was lost with its gateway', () => {
  const start = nodesOfOneStore({ 'oauth2.refresh_grace': '60' })

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
