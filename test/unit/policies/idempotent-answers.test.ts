/** Answers as they are kept for repeats. */

import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { UpstreamAnswer } from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { encodeBody } from '#http/codec.ts'
import { type Ask, fixed, type serve } from '#test/unit/gateway/fake-exchange.ts'
import {
  counting,
  create,
  IdempotentRoutes,
  keyed,
  result,
  upstream,
  upstreamAnswer,
} from './idempotent-routes.ts'

describe('what is kept of an answer under an Idempotency-Key', () => {
  let routes: IdempotentRoutes
  beforeEach(async () => {
    routes = await IdempotentRoutes.open()
  })
  afterEach(() => routes.store.close())

  const twice = async (served: ReturnType<typeof serve>, ask: Ask = {}, other: Ask = ask) => [
    await served.ask('POST /v1/x', keyed('k', ask)),
    await served.ask('POST /v1/x', keyed('k', other)),
  ]

  it('is not an answer over max_bytes, whose request is not performed again', async () => {
    const body = 'é'.repeat(50)
    for (const [max_bytes, status] of [
      [102, 200],
      [101, 409],
    ] as const) {
      const served = routes.serve(fixed(body), undefined, { idempotency: { max_bytes } })
      const [first, second] = await twice(served, {
        headers: { 'x-n': String(max_bytes), 'idempotency-key': String(max_bytes) },
        body: String(max_bytes),
      })
      expect(first?.status).to.equal(200)
      expect(second?.status).to.equal(status)
    }
  })

  it('is the body of an upstream, whole or in pieces, but not of one over max_bytes or of an event stream', async () => {
    const pieces = () =>
      Readable.from([Buffer.from('do'), Buffer.from('ne')], { objectMode: false })
    const bytesOf = async ({ body }: Reply) => {
      if (body.kind === 'bytes') return Buffer.from(body.bytes).toString()
      const chunks = body.kind === 'stream' ? await body.stream.toArray() : []
      return Buffer.concat(chunks).toString()
    }
    const events = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }
    for (const [index, [answer, max_bytes, status]] of [
      [{}, 4, 200],
      [{}, 3, 409],
      [{ body: pieces(), length: undefined }, 4, 200],
      [{ body: pieces(), length: undefined }, 3, 409],
      [{ body: pieces(), length: 4 }, 3, 409],
      [{ body: pieces(), length: undefined, ...events }, 4, 409],
      [{ body: new Uint8Array(0), length: 0, status_code: 204 }, 4, 204],
    ].entries() as Iterable<[number, [Partial<UpstreamAnswer>, number, number]]>) {
      const served = routes.serve(upstream, () => upstreamAnswer(answer), {
        idempotency: { max_bytes },
      })
      const first = await served.ask('POST /v1/x', keyed(`k${index}`))
      const second = await served.ask('POST /v1/x', keyed(`k${index}`))
      expect(await bytesOf(first)).to.equal(status === 204 ? '' : 'done')
      expect(second.status).to.equal(status)
      if (status === 200) expect(await bytesOf(second)).to.equal('done')
      expect(served.performed).to.have.length(1)
    }
  })

  it('is the failure of an upstream that is lost amid its answer', async () => {
    const lost = () => {
      const stream = new Readable({ read: () => undefined })
      stream.push('do')
      setImmediate(() => stream.destroy(new ServiceError('service.error.bad_gateway', 'lost')))
      return upstreamAnswer({ body: stream, length: undefined })
    }
    const [first, second] = await twice(routes.serve(upstream, lost))
    expect([first?.status, second?.status]).to.deep.equal([504, 504])
    expect(second?.headers).to.include({ 'idempotency-replayed': 'true' })
  })

  it('is the failure of a body that cannot be encoded', async () => {
    const served = routes.serve(create, () => result(2n ** 70n))
    const [first, second] = await twice(served, { headers: { accept: 'application/msgpack' } })
    expect([first?.status, second?.status]).to.deep.equal([500, 500])
    expect(second?.headers).to.include({ 'idempotency-replayed': 'true' })
  })

  it('has the headers of the answer with its cookies, but none of the first exchange', async () => {
    const served = routes.serve(upstream, () => upstreamAnswer())
    const from = (origin: string) => ({ headers: { origin } })
    const [first, second] = await twice(
      served,
      from('https://a.example'),
      from('https://b.example'),
    )
    expect(first?.headers).to.include({
      'access-control-allow-origin': 'https://a.example',
      date: 'then',
    })
    expect(second?.headers).to.deep.equal({
      'content-language': 'en',
      'content-type': 'text/plain',
      'idempotency-replayed': 'true',
      'set-cookie': ['a=1', 'b=2'],
      vary: 'Origin',
    })
  })

  it('is in the media type that the first request has asked for', async () => {
    const accept = (type: string) => ({ headers: { accept: type } })
    const [first, second] = await twice(
      routes.serve(create, counting()),
      accept('application/msgpack'),
      accept('application/json'),
    )
    expect(first?.headers['content-type']).to.equal('application/msgpack')
    expect(second?.headers['content-type']).to.equal('application/msgpack')
    expect(second?.body).to.deep.equal(first?.body)
  })

  it('is sealed', async () => {
    const kept: string[] = []
    const { answers } = routes.store
    const served = routes.serve(fixed('s3cret'), undefined, {
      ports: {
        answers: {
          take: (request) => answers.take(request),
          renew: (...all) => answers.renew(...all),
          release: (held) => answers.release(held),
          async keep(held, answer) {
            kept.push(JSON.stringify(held), answer ?? '')
            await answers.keep(held, answer)
          },
        },
      },
    })
    await served.ask('POST /v1/x', keyed('my-key', { body: '"my-body"' }))
    expect(kept.join()).to.match(/,v1\.[\w-]+$/)
    expect(kept.join()).not.to.match(/s3cret|my-key|my-body/)
  })

  it('encodes a fixed answer once for each media type', async () => {
    const types: string[] = []
    const encode = (value: unknown, type: string) => {
      types.push(type)
      return encodeBody(value, type)
    }
    const served = routes.serve(fixed({ a: 1 }), undefined, { ports: { encode } })
    for (const key of ['a', 'b', 'c']) {
      expect((await served.ask('POST /v1/x', keyed(key))).status).to.equal(200)
    }
    expect(types).to.deep.equal(['application/json'])
  })
})
