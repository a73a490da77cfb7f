/** Who stops waiting for a tool cancels the call: its callee gets INTERRUPT, on any router. */
import { expect } from 'chai'
import { openEventStream } from '#test/support/event-stream.ts'
import { type CallOptions, toolClients } from '#test/support/examples/tool-clients.ts'
import { ToolCallee, toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { until } from '#test/support/running/until.ts'
import { messageOf } from './ask.ts'

describe('a call of a tool that nobody waits for', () => {
  let gateway: TestGateway
  let callee: ToolCallee
  let interruptsBefore: number

  before(async () => {
    gateway = await startGateway()
    await gateway.mustLoad(toolsDocument())
    callee = await ToolCallee.join(gateway.routerUrl)
  })
  beforeEach(() => {
    interruptsBefore = callee.interrupts
  })
  afterEach(async () => {
    await until('the callee is interrupted', () => callee.interrupts === interruptsBefore + 1)
    expect(callee.working).to.equal(0)
  })
  after(async () => {
    callee?.close()
    await gateway?.stop()
  })

  const untilWorking = () => until('the callee works', () => callee.working === 1)

  for (const [name, { open, revision }] of Object.entries(toolClients)) {
    for (const wants of ['progress', 'the result alone'] as const) {
      const options = (signal: AbortSignal): CallOptions => ({
        signal,
        ...(wants === 'progress' && { onprogress: () => undefined }),
      })

      it(`is canceled when ${name}, which wants ${wants}, goes`, async () => {
        const client = await open(`${gateway.url}/v1/mcp`)
        const called = client.call(
          'build_report',
          { id: '1' },
          options(new AbortController().signal),
        )
        called.catch(() => undefined)
        await untilWorking()
        await client.close()
      })

      // before, a client told so by a message of its own, which finds no call: a request knows of no other
      if (revision !== '2026-07-28') continue

      it(`is canceled when ${name}, which wants ${wants}, aborts it`, async () => {
        const client = await open(`${gateway.url}/v1/mcp`)
        const controller = new AbortController()
        const called = client.call('build_report', { id: '1' }, options(controller.signal))
        called.catch(() => undefined)
        await untilWorking()
        controller.abort()
        await until('the callee is interrupted', () => callee.interrupts > interruptsBefore)
        await client.close()
      })
    }
  }

  it('is canceled when its response is closed between two messages of progress', async () => {
    const { headers, body } = messageOf('tools/call', {
      ...{ name: 'build_report', arguments: { id: '1' } },
      _meta: { progressToken: 'a' },
    })
    const url = `${gateway.url}/v1/mcp`
    const opened = openEventStream(url, { method: 'POST', headers, body: JSON.parse(body) })
    await untilWorking()
    callee.tell('half')
    const stream = await opened
    const { data } = await stream.next()
    expect(JSON.parse(data)).to.deep.equal({
      ...{ jsonrpc: '2.0', method: 'notifications/progress' },
      params: { progressToken: 'a', progress: 1, message: 'half' },
    })
    stream.close()
  })
})
