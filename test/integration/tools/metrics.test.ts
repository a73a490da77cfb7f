/** The metric of calls: by the name of a tool and the status of its operation, and nothing that a client names. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { countsIn } from '#test/support/metric-lines.ts'
import { fixed } from '#test/unit/gateway/fake-exchange.ts'
import { tool } from '#test/unit/gateway/tools/fixture.ts'
import { callTool } from './ask.ts'

const document = {
  ...{ id: 'com.example.tools', host: '_', realm_uri: 'com.example.test' },
  versions: {
    '1': {
      base_path: '/v1',
      mcp: { path: '/mcp' },
      paths: {
        '/open': { get: tool('open', {}, fixed({ a: 1 })) },
        '/closed': { get: { ...tool('closed', {}, fixed()), security: { type: 'api_key' } } },
      },
    },
  },
}

describe('The metric of calls of tools', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    await gateway.mustLoad(document)
  })
  after(() => gateway.stop())

  it('counts by the name of the tool and the status of its operation', async () => {
    await callTool(gateway.url, 'open')
    await callTool(gateway.url, 'open')
    await callTool(gateway.url, 'open', { more: 1 })
    await callTool(gateway.url, 'none')
    await callTool(gateway.url, 'closed')
    const { text } = await send(gateway.adminUrl, '/metrics')
    const lines = countsIn(text.split('\n')).filter((line) => line.startsWith('gateway_tool_'))
    const labels = 'api="com.example.tools",version="1",tool="open"'
    expect(lines).to.deep.equal([
      `gateway_tool_calls_total{${labels},status="200"} 2`,
      `gateway_tool_calls_total{${labels},status="400"} 1`,
    ])
  })
})
