/** The official clients list and call tools on any router: what they get is what the operation answers by its path. */
import { expect } from 'chai'
import { type ToolClient, toolClients } from '#test/support/examples/tool-clients.ts'
import { ToolCallee, toolNames, toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'

/** Waits until a call of `build` has reached the callee. */
const untilWorking = (callee: ToolCallee) => until('the callee works', () => callee.working === 1)

describe('a client of tools', () => {
  let gateway: TestGateway
  let callee: ToolCallee

  before(async () => {
    gateway = await startGateway()
    const { status, body } = await gateway.load(toolsDocument())
    expect(status, JSON.stringify(body)).to.equal(201)
    expect(body.warnings).to.deep.equal([])
    callee = await ToolCallee.join(gateway.routerUrl)
  })
  after(async () => {
    callee?.close()
    await gateway?.stop()
  })

  for (const [name, { open, revision }] of Object.entries(toolClients)) {
    describe(name, () => {
      let client: ToolClient

      before(async () => {
        client = await open(`${gateway.url}/v1/mcp`)
      })
      after(() => client?.close())

      it(`speaks ${revision}, and knows the name of the server`, () => {
        expect([client.revision, client.serverName]).to.deep.equal([revision, 'orders'])
      })

      it('lists the tools in the order of the document', async () => {
        expect(await client.list()).to.deep.equal(toolNames)
      })

      it('calls a tool with a binding', async () => {
        const { isError, structuredContent, texts } = await client.call('get_order', { id: '7' })
        const { text } = await send(gateway.url, '/v1/orders/7')
        expect(isError ?? false).to.equal(false)
        expect(structuredContent).to.deep.equal(JSON.parse(text))
        expect(texts).to.deep.equal([text])
      })

      it('calls a tool with a body', async () => {
        const body = { sku: 'tea', amount: 2 }
        const { structuredContent } = await client.call('create_order', body)
        expect(structuredContent).to.deep.equal({ body })
      })

      it('reads a list as text in every era', async () => {
        const { isError, texts } = await client.call('list_orders')
        expect(isError ?? false).to.equal(false)
        expect(JSON.parse(texts[0] ?? '')).to.deep.equal([{ id: '1' }, { id: '2' }])
      })

      it('reads of an error of the callee its status and what on_error says', async () => {
        const { isError, texts } = await client.call('fail')
        expect(isError).to.equal(true)
        expect(texts[0]).to.include('500').and.include('com.example.broken').and.include('wheel')
      })

      it('reads where an argument does not fit', async () => {
        const before = callee.calls.length
        const { isError, texts } = await client.call('create_order', { sku: 'tea', amount: 0 })
        expect(isError).to.equal(true)
        expect(texts[0]).to.include('/amount')
        expect(callee.calls).to.have.length(before)
      })

      it('is told that a tool is unknown', async () => {
        const failure = await client.call('no_such').then(
          () => undefined,
          (error: { code?: number; message: string }) => error,
        )
        expect(failure?.code).to.equal(-32602)
        expect(failure?.message).to.include('no such tool')
      })

      it('sees progress while the callee works, and then the result', async () => {
        const told: (readonly [progress: number, message: string | undefined, working: number])[] =
          []
        const onprogress = ({
          progress,
          message,
        }: {
          progress: number
          message?: string | undefined
        }) => {
          told.push([progress, message, callee.working])
          if (progress < 3) callee.tell(`page ${progress + 1}`)
          else callee.finish({ pages: 3 })
        }
        const called = client.call('build_report', { id: '2026-06' }, { onprogress })
        await untilWorking(callee)
        callee.tell('page 1')
        const { structuredContent } = await called
        expect(told).to.deep.equal([
          [1, 'page 1', 1],
          [2, 'page 2', 1],
          [3, 'page 3', 1],
        ])
        expect(structuredContent).to.deep.equal({ pages: 3 })
      })

      it('that wants no progress gets the result alone', async () => {
        const called = client.call('build_report', { id: '2026-06' })
        await untilWorking(callee)
        callee.finish({ pages: 1 })
        expect((await called).structuredContent).to.deep.equal({ pages: 1 })
      })
    })
  }
})
