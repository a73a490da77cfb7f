/** Calls whose arguments, results or callees are bad: the session and everybody else's calls go on. */
import { expect } from 'chai'
import { untilHolds } from '#test/support/running/until.ts'
import { type Callee, openCallee } from './callees.ts'
import { describeArea } from './cases.ts'
import { calling, documentOf, operation } from './documents.ts'
import { ask, expectRefusal, get, jsonOf, post } from './sockets.ts'

const msgpack = 'application/msgpack'
const callTimeout = 300

describeArea(
  'wamp',
  {},
  (area) => {
    let callee: Callee
    let plain: Callee
    const waiting: ((value: unknown) => void)[] = []
    const results: Readonly<Record<string, unknown>> = {
      big: 2n ** 64n - 1n,
      bytes: new Uint8Array([0, 1, 255]),
      all: { big: -(2n ** 63n), bytes: new Uint8Array([1]) },
    }

    before(async () => {
      callee = await openCallee(area.gateway.routerUrl)
      await callee.register('com.t.echo', ({ args: [value] }) => value)
      await callee.register('com.t.wait', () => new Promise((resolve) => waiting.push(resolve)))
      await callee.register('com.t.result', ({ args: [name] }) => results[String(name)])
      await callee.register('com.t.who', ({ details }) => String(details.caller))
      // undefined as CBOR has it is tested in wamp-router.test.ts: Crossbar.io drops such a result
      plain = await openCallee(area.gateway.routerUrl, 'json')
      await plain.register('com.t.nothing', () => undefined)
      await plain.register('com.t.nothing.within', () => ({ list: [undefined], gone: undefined }))
      const whoIsIt = operation(
        {
          type: 'wamp_call',
          procedure: 'com.t.who',
          args: [],
          kwargs: {},
          options: { disclose_me: true },
        },
        { status_code: 200, body: '{{action.result.args |> head}}' },
      )
      await area.load(
        documentOf('com.t.a', {
          '/echo': { post: calling('com.t.echo', '{{request.body}}'), body_max_bytes: 30_000_000 },
          '/wait': { get: calling('com.t.wait') },
          '/late': { get: calling('com.t.wait'), timeout: callTimeout },
          '/nothing': { get: calling('com.t.nothing') },
          '/nothing-within': { get: calling('com.t.nothing.within') },
          '/result/:name': { get: calling('com.t.result', '{{request.bindings.name}}') },
          '/who': { get: whoIsIt },
        }),
      )
    })
    after(() => {
      callee?.close()
      plain?.close()
    })

    /** The WAMP session that the gateway calls with. */
    const sessionOfGateway = async () => jsonOf(await ask(area.port, get('/v1/who')))

    /** Does what is bad; the gateway's session, the callee's and a neighbour's call are what they were. */
    async function harmsNobody(bad: () => Promise<void>): Promise<void> {
      const before = await sessionOfGateway()
      expect(before).to.match(/^[0-9]+$/)
      const neighbour = ask(area.port, get('/v1/wait'))
      await untilHolds(() => waiting.length > 0)
      const answerNeighbour = waiting.shift()
      await bad()
      answerNeighbour?.('answered')
      expect(await neighbour).to.include({ status: 200, body: '"answered"' })
      expect(callee.isLost, "the callee's session is lost").to.equal(false)
      expect(await sessionOfGateway(), "the gateway's session").to.equal(before)
    }

    area.test(175, (entry) =>
      harmsNobody(async () => {
        const before = callee.invocations.length
        const bytes = Buffer.from(JSON.stringify('x'.repeat(20_000_000)))
        expectRefusal(await ask(area.port, post('/v1/echo', 'application/json', bytes)), entry)
        expect(callee.invocations.length, 'calls').to.equal(before)
      }),
    )

    area.test(
      179,
      (entry) =>
        harmsNobody(async () => {
          expectRefusal(await ask(area.port, get('/v1/late')), entry)
          waiting.shift()?.('too late')
          // its callee has sent it before the answer to this one
          const next = await ask(area.port, post('/v1/echo', 'application/json', '"next"'))
          expect(next).to.include({ status: 200, body: '"next"' })
        }),
      `timeout ${callTimeout} ms`,
    )

    area.test(180, (entry) =>
      harmsNobody(async () => {
        const { status } = entry.expected
        const result = (name: string, ...lines: readonly string[]) =>
          ask(area.port, get(`/v1/result/${name}`, ...lines))
        expect(await result('big')).to.include({ status, body: '18446744073709551615' })
        // WAMP: Binary conversion of JSON strings
        expect(await result('bytes')).to.include({ status, body: '"\\u0000AAH/"' })
        for (const [path, body] of [
          ['/v1/nothing', 'null'],
          ['/v1/nothing-within', '{"list":[null]}'],
        ] as const) {
          expect(await ask(area.port, get(path))).to.include({ status, body })
          const packed = await ask(area.port, get(path, `Accept: ${msgpack}`))
          expect(packed.status).to.equal(status)
        }
        const all = await result('all')
        expect(all.status).to.equal(status)
        expect(all.body).to.include('"big":-9223372036854775808').and.include('"\\u0000AQ=="')

        const packed = await result('big', `Accept: ${msgpack}`)
        expect(Buffer.from(packed.body, 'latin1').toString('hex')).to.equal('cfffffffffffffffff')
        const bytes = await result('bytes', `Accept: ${msgpack}`)
        expect(Buffer.from(bytes.body, 'latin1').toString('hex')).to.equal('c4030001ff')
        expect((await result('all', `Accept: ${msgpack}`)).status).to.equal(status)
      }),
    )
  },
  { notProblems: [] },
)
