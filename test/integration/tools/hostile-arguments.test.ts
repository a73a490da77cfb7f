/** Whatever the arguments of a tool are, they reach its callee as data or not at all. */
import { expect } from 'chai'
import { ToolCallee, toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { messageOf, type RpcAnswer } from './ask.ts'
import { hostileArguments } from './hostile-arguments.ts'

const cases = rounds(500, 5_000)

/** Two tools that take any arguments and tell all of their request: with a query, with a body. */
const tools = { read_any: 'get', write_any: 'put' } as const

/** A text that is the same for the same value, whatever the order of members. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

/** Whether a text of a query is a value: a text as it is, anything else as JSON. */
const isQueryText = (text: unknown, value: unknown): boolean =>
  typeof value === 'string'
    ? text === value
    : typeof text === 'string' && textOf(JSON.parse(text)) === textOf(value)

describe('arguments of a tool', () => {
  let gateway: TestGateway
  let callee: ToolCallee
  /** The header fields of a request without anything hostile, by the tool. */
  const plainHeaders = new Map<string, unknown>()

  const call = async (name: string, argumentsText: string) => {
    const { headers, body } = messageOf('tools/call', { name, arguments: 0 })
    const text = body.replace('"arguments":0', () => `"arguments":${argumentsText}`)
    const answer = await send(gateway.url, '/v1/mcp', { method: 'POST', headers, body: text })
    return { status: answer.status, text: answer.text, bytes: Buffer.byteLength(text) }
  }

  before(async () => {
    gateway = await startGateway()
    await gateway.mustLoad(toolsDocument())
    callee = await ToolCallee.join(gateway.routerUrl)
    for (const name of Object.keys(tools)) {
      const { text } = await call(name, '{"id":"7"}')
      expect(text).to.include('structuredContent')
      plainHeaders.set(name, callee.calls.pop()?.kwargs.headers)
    }
  })
  after(async () => {
    callee?.close()
    await gateway?.stop()
  })

  it(`are data or refused, in ${cases} cases`, async () => {
    let [passed, refused] = [0, 0]
    for (let seed = 1; seed <= cases; seed++) {
      const name = seed % 2 === 0 ? 'read_any' : 'write_any'
      const text = hostileArguments(seed)
      const told = `seed ${seed}, ${name} ${text.slice(0, 200)}`
      callee.calls.length = 0
      const answer = await call(name, text)
      expect(answer.status, told).to.be.oneOf([200, 400, 413])
      const [reached, ...further] = callee.calls
      expect(further, told).to.deep.equal([])
      if (reached === undefined) {
        const { result, error } = JSON.parse(answer.text) as RpcAnswer
        const isRefused = answer.status !== 200 || result?.isError === true || error !== undefined
        expect(isRefused, `${told}: ${answer.text}`).to.equal(true)
        refused += 1
        continue
      }
      passed += 1
      expect(reached.procedure, told).to.equal('echo')
      const { id, ...rest } = JSON.parse(text) as Readonly<Record<string, unknown>>
      const { method, bindings, headers, query, body } = reached.kwargs
      expect([method, bindings], told).to.deep.equal([tools[name], { id }])
      expect(headers, told).to.deep.equal(plainHeaders.get(name))
      if (name === 'read_any') {
        const texts = query as Readonly<Record<string, unknown>>
        expect(Object.keys(texts).sort(), told).to.deep.equal(Object.keys(rest).sort())
        const others = Object.entries(rest).filter(
          ([key, value]) => !isQueryText(texts[key], value),
        )
        expect([others, body], told).to.deep.equal([[], ''])
      } else {
        expect([textOf(body), query], told).to.deep.equal([textOf(rest), {}])
      }
    }
    // neither may be the answer to all
    expect(passed, `${refused} refused`).to.be.greaterThan(cases / 5)
    expect(refused, `${passed} passed`).to.be.greaterThan(cases / 20)
  })

  it('leave nothing behind', async () => {
    expect(Object.keys(Object.prototype)).to.deep.equal([])
    const { status, text } = await call('read_any', '{"id":"7","state":"open"}')
    expect(status).to.equal(200)
    expect(text).to.include('"state":"open"')
  })
})
