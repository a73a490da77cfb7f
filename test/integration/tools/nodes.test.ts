/** Two nodes behind one address serve a client of tools by turns: nothing about it is kept on a node. */
import { expect } from 'chai'
import { toolClients } from '#test/support/examples/tool-clients.ts'
import { ToolCallee, toolNames, toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { AlternatingProxy } from '#test/support/peers/alternating-proxy.ts'
import { openRouter, type TestRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'
import { listTools } from './ask.ts'

describe('two nodes behind one address', () => {
  let router: TestRouter
  const nodes: TestGateway[] = []
  let proxy: AlternatingProxy
  let callee: ToolCallee

  before(async () => {
    router = await openRouter()
    for (const node of ['a', 'b']) {
      nodes.push(await startGateway({ 'wamp.url': router.url, node }))
    }
    const { status, body } = (await nodes[0]?.load(toolsDocument())) ?? {}
    expect(status, JSON.stringify(body)).to.equal(201)
    for (const { url } of nodes) {
      await until(
        'the node serves the tools',
        async () => (await listTools(url).catch(() => [])).length > 0,
      )
    }
    callee = await ToolCallee.join(router.url)
    proxy = await AlternatingProxy.open(nodes.map(({ url }) => url))
  })
  after(async () => {
    await proxy?.close()
    callee?.close()
    for (const node of nodes) await node.stop()
    await router?.stop()
  })

  for (const [name, { open, revision }] of Object.entries(toolClients)) {
    it(`serve ${name}, request by request`, async () => {
      proxy.counts.fill(0)
      const client = await open(`${proxy.url}/v1/mcp`)
      expect(client.revision).to.equal(revision)
      for (let round = 0; round < 5; round++) {
        expect(await client.list()).to.deep.equal(toolNames)
        const { structuredContent } = await client.call('get_order', { id: `${round}` })
        expect(structuredContent).to.deep.equal({ id: `${round}`, state: 'open' })
        const called = client.call(
          'build_report',
          { id: 'x' },
          { onprogress: () => callee.finish(round) },
        )
        await until('the callee works', () => callee.working === 1)
        callee.tell('a page')
        expect((await called).texts).to.deep.equal([String(round)])
      }
      await client.close()
      const [first = 0, second = 0] = proxy.counts
      expect(first).to.be.at.least(5)
      expect(Math.abs(first - second)).to.be.at.most(1)
    })
  }
})
