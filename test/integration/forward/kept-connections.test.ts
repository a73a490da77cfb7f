/** Requests on connections that were kept, and that the upstream closes. */
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { expect } from 'chai'
import type { ActionFields, Run } from '#component/action/action.ts'
import { CheckedFetch } from '#component/action/checked-fetch.ts'
import { systemClock } from '#component/clock.ts'
import {
  attempts,
  bodyOf,
  closeAll,
  closeUpstreams,
  forwarder,
  perform,
  rawUpstream,
} from './upstreams.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

type Ending = (socket: Socket) => unknown

/** An upstream that answers the first request of each connection, and ends the connection at the second one. */
async function forgetful(end: Ending, onNew: Ending = (socket) => socket.write(ok)) {
  const requests: string[] = []
  let connections = 0
  const host = await rawUpstream((socket) => {
    let count = 0
    connections += 1
    socket.on('data', (bytes) => {
      const text = String(bytes)
      if (!/^[A-Z]+ \//.test(text)) return
      requests.push(text.slice(0, text.indexOf(' ')))
      count += 1
      if (count > 1) end(socket)
      else if (connections > 1) onNew(socket)
      else socket.write(ok)
    })
  })
  return { host, requests, connections: () => connections }
}

/** Waits until undici has a connection back, or counts how long it is kept. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Performs a GET, and then the forward on the connection that was kept. */
async function onKept(fields: ActionFields, changes: Partial<Run>) {
  const action = forwarder()
  await bodyOf(await perform({ host: fields.host }, {}, action))
  await turns()
  return await perform(fields, changes, action)
}

const closed: Ending = (socket) => socket.end()
const reset: Ending = (socket) => socket.resetAndDestroy()
const bytes = { body: 'x' }
const stream = () => ({ stream: Readable.from([Buffer.from('x')]), length: 1 })

describe('forward on a kept connection that the upstream closes', () => {
  afterEach(closeAll)

  for (const [title, end, fields, changes] of [
    ['a GET', closed, {}, {}],
    ['a GET whose answer an expression reads', closed, {}, { readsBody: true }],
    ['a GET whose connection is reset', reset, {}, {}],
    ['a HEAD', closed, {}, { method: 'head' }],
    ['an OPTIONS', closed, {}, { method: 'options' }],
    ['a DELETE', closed, {}, { method: 'delete' }],
    ['a PUT without a body', closed, {}, { method: 'put' }],
    ['a PUT whose body is at hand', reset, bytes, { method: 'put' }],
    ['a POST that asks with GET', closed, { http_method: 'get' }, { method: 'post' }],
  ] as const) {
    it(`sends ${title} once more, on a new one`, async () => {
      const { host, requests, connections } = await forgetful(end)
      const outcome = await onKept({ host, ...fields }, changes)
      expect(outcome).to.have.nested.property('result.status_code', 200)
      const [first, ...others] = requests
      const method = ('http_method' in fields ? 'get' : (changes as Partial<Run>).method) ?? 'get'
      expect([first, others]).to.deep.equal(['GET', Array(2).fill(method.toUpperCase())])
      expect(connections()).to.equal(2)
    })
  }

  for (const [title, end, fields, changes] of [
    ['a POST', closed, bytes, { method: 'post' }],
    ['a PATCH', reset, bytes, { method: 'patch' }],
    ['a GET that asks with POST', closed, { http_method: 'post' }, {}],
    ['a part of an answer', (socket: Socket) => socket.end('HTTP/1.1 2'), {}, {}],
    ['an early hint', (socket: Socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'), {}, {}],
    ['100 (Continue)', (socket: Socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), {}, {}],
    ['no answer within timeout', () => {}, {}, attempts({ timeout: 60 })],
  ] as const) {
    it(`sends nothing again after ${title}`, async () => {
      const { host, requests } = await forgetful(end)
      const outcome = await onKept({ host, ...fields }, changes)
      expect(outcome).to.have.nested.property('error.status_code', 504)
      expect(outcome).to.include({ effect: 'unknown' })
      expect(requests).to.have.length(2)
    })
  }

  it('sends nothing again whose client has gone', async () => {
    const { host, requests } = await forgetful(() => cancel())
    let cancel = (): void => {}
    const onCancel = (callback: () => void): void => {
      cancel = callback
    }
    const outcome = await onKept({ host }, { onCancel })
    expect(outcome).to.have.nested.property('error.error_uri', 'wamp.error.canceled')
    expect(requests).to.have.length(2)
  })

  it('sends a stream that is gone no second time', async () => {
    const { host, requests } = await forgetful(closed)
    const outcome = await onKept({ host }, { method: 'put', rawBody: stream() })
    expect(outcome).to.have.nested.property('error.status_code', 504)
    expect(requests).to.deep.equal(['GET', 'PUT'])
  })

  it('sends a request that fails on the new one, too, not a third time', async () => {
    const { host, requests } = await forgetful(closed, closed)
    const outcome = await onKept({ host }, {})
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
    expect(requests).to.have.length(3)
  })

  it('counts none of that as one of the retries', async () => {
    const { host, requests } = await forgetful(closed, closed)
    const outcome = await onKept({ host }, attempts({ retries: 2 }))
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
    expect(requests).to.have.length(5)
  })

  it('fails where no new one comes', async () => {
    const { host, requests } = await forgetful(closeUpstreams)
    const outcome = await onKept({ host }, {})
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
    expect(outcome).to.include({ effect: 'unknown' })
    expect(requests).to.have.length(2)
  })

  it('sends the requests of several kept connections again, each once', async () => {
    const { host, requests } = await forgetful(closed)
    const action = forwarder()
    const all = async (): Promise<void> => {
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => perform({ host }, {}, action)))
      expect(await Promise.all(outcomes.map(bodyOf))).to.deep.equal(Array(4).fill('ok'))
    }
    await all()
    await turns()
    await all()
    expect(requests).to.have.length(12)
  })

  it('sends requests of the gateway itself once more, too', async () => {
    const { host, requests } = await forgetful(closed)
    const client = new CheckedFetch({ clock: systemClock })
    for (const count of [1, 3]) {
      const answer = await client.fetch(`http://${host}/keys`, {}, true)
      expect(await answer.text()).to.equal('ok')
      expect(requests).to.have.length(count)
      await turns()
    }
    await client.close()
  })
})

describe('a connection that is kept', () => {
  afterEach(async () => {
    mock.timers.reset()
    await closeAll()
  })

  for (const [title, field, ms] of [
    ['of an upstream that says nothing', '', 1500],
    ['of one that names no time', 'Keep-Alive: max=100\r\n', 1500],
    ['of one that keeps it for 1 s', 'Keep-Alive: timeout=1\r\n', 500],
    ['of one that keeps it for 2 s', 'Keep-Alive: timeout=2, max=9\r\n', 1500],
    ['of one that keeps it for 4 s', 'Keep-Alive: timeout=4\r\n', 3500],
    ['of one that keeps it for a minute', 'Keep-Alive: timeout=60\r\n', 4000],
  ] as const) {
    it(`${title} is closed after ${ms} ms`, async () => {
      mock.timers.enable({ apis: ['setTimeout'] })
      const ended = Promise.withResolvers<void>()
      let isEnded = false
      const host = await rawUpstream((socket) => {
        socket.on('data', () => socket.write(ok.replace('\r\n\r\n', `\r\n${field}\r\n`)))
        socket.on('end', () => {
          isEnded = true
          ended.resolve()
        })
      })
      await bodyOf(await perform({ host }))
      await turns()
      mock.timers.tick(ms - 1)
      await turns()
      expect(isEnded).to.equal(false)
      mock.timers.tick(1)
      await ended.promise
    })
  }
})
