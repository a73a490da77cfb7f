/** What the gateway says to its router for bad options and for callees that never answer. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Callee, openCallee } from './callees.ts'
import { describeArea } from './cases.ts'
import { calling, documentOf, operation, realm_uri } from './documents.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { openRouterProcess, type RouterProcess } from './routers.ts'
import { ask, expectRefusal, get, jsonOf, post } from './sockets.ts'

const callTimeout = 300

/** Codes of WAMP messages. */
const code = { call: 48, cancel: 49, invocation: 68, interrupt: 69 }

let own: RouterProcess | undefined
let recorder: Recorder
/** The router behind the recorder: that of the run. */
let routerUrl: string

async function startRecorder(): Promise<Readonly<Record<string, string>>> {
  const ofRun = process.env.WAMP_ROUTER_URL
  if (ofRun === undefined) own = await openRouterProcess()
  routerUrl = ofRun ?? own?.url ?? ''
  recorder = await openRecorder(routerUrl)
  return { 'wamp.url': recorder.url, 'wamp.serializer': 'json' }
}

describeArea(
  'wamp as the router hears it',
  startRecorder,
  (area) => {
    let callee: Callee
    let answerLate: ((value: unknown) => void) | undefined

    before(async () => {
      callee = await openCallee(routerUrl)
      await callee.register('com.t.who', ({ details }) => String(details.caller))
      await callee.register('com.t.never', () => {
        return new Promise((resolve) => {
          answerLate = resolve
        })
      })
      const action = { type: 'wamp_call', procedure: 'com.t.who', args: [], kwargs: {} }
      const who = (options: unknown) =>
        operation(
          { ...action, options },
          { status_code: 200, body: '{{action.result.args |> head}}' },
        )
      await area.load(
        documentOf('com.t.a', {
          '/who': { get: who({ disclose_me: true }), post: who('{{request.body}}') },
          '/never': { get: calling('com.t.never'), timeout: callTimeout },
          '/peer': { get: calling('com.t.peer'), timeout: callTimeout },
        }),
      )
      await untilHolds(async () => (await ask(area.port, get('/v1/who'))).status === 200)
    })
    after(async () => {
      callee?.close()
      recorder?.stop()
      await own?.kill()
    })

    const sessionOfGateway = async () => jsonOf(await ask(area.port, get('/v1/who')))

    /** Messages of one code that were sent while a task ran. */
    async function sentBy(type: number, task: () => Promise<void>) {
      const before = recorder.sent.length
      await task()
      return recorder.sent.slice(before).filter((message) => message[0] === type)
    }

    area.test(176, async (entry) => {
      const send = (options: unknown) =>
        ask(area.port, post('/v1/who', 'application/json', JSON.stringify(options)))
      const session = await sessionOfGateway()
      const calls = await sentBy(code.call, async () => {
        const answer = await send({
          ...{ disclose_me: true, eligible_authrole: 'x', exclude_me: false },
          ...{ runmode: 'partition', toString: 1 },
        })
        expect(answer.status).to.equal(entry.expected.status)
        expect(jsonOf(answer)).to.equal(session)
      })
      expect(calls.map((message) => message[2])).to.deep.equal([{ disclose_me: true }])

      const refused = await sentBy(code.call, async () => {
        for (const wrong of [{ timeout: 'a' }, { disclose_me: 'yes' }, { timeout: -1 }, [1]]) {
          const answer = await send(wrong)
          expect(answer.status, answer.body).to.equal(400)
          expect(jsonOf(answer)).to.have.property('code', 'wamp.error.option_not_allowed')
        }
      })
      expect(refused, 'calls that were sent').to.deep.equal([])
    })

    area.test(
      178,
      async (entry) => {
        const session = await sessionOfGateway()
        // a callee that announces no call_canceling, as those of autobahn
        const start = recorder.sent.length
        const sent = (type: number) =>
          recorder.sent.slice(start).filter((message) => message[0] === type)
        expectRefusal(await ask(area.port, get('/v1/never')), entry)
        await untilHolds(() => sent(code.cancel).length > 0)
        expect(sent(code.cancel).map(([, request]) => request)).to.deep.equal(
          sent(code.call).map(([, request]) => request),
        )
        // its answer comes after all, before that of the next call: neither connection is closed for it
        answerLate?.('too late')
        expect(await sessionOfGateway(), "the gateway's session").to.equal(session)
        expect(callee.isLost, "the callee's session is lost").to.equal(false)

        // a callee that announces it is told
        const target = { url: routerUrl, realm: realm_uri }
        const peer = await RouterPeer.join(target, 'wamp.2.json', { authmethods: ['anonymous'] })
        await peer.register('com.t.peer')
        const answer = ask(area.port, get('/v1/peer'))
        const [type, request] = await peer.next()
        expect(type).to.equal(code.invocation)
        expectRefusal(await answer, entry)
        expect((await peer.next()).slice(0, 2)).to.deep.equal([code.interrupt, request])
        peer.cut()
        expect(await sessionOfGateway(), "the gateway's session").to.equal(session)
      },
      `timeout ${callTimeout} ms`,
    )
  },
  { notProblems: [] },
)
