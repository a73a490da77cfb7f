/** What is known of a stream when its document is loaded. */
import { expect } from 'chai'
import { serve } from '#test/unit/gateway/fake-exchange.ts'
import { type Around, call, documentWith, operationOf, raw, subscribe } from './document.ts'

/** The headers of every answer. */
const usual = { 'content-language': 'en', vary: 'Accept' }

/** The plan without the nodes of its expressions. */
function planOf(operation: unknown, around?: Around) {
  const { streams } = operationOf(operation, around)
  if (streams === undefined) throw new Error('no stream')
  const { name, body, ...plan } = streams
  return { ...plan, hasName: name !== undefined, hasBody: body !== undefined }
}

describe('the plan of a stream of events', () => {
  it('has a default for each key that is known at load', () => {
    expect(planOf(subscribe())).to.deep.equal({
      kind: 'events',
      types: ['text/event-stream', 'application/x-ndjson'],
      head: { headers: usual, layers: [] },
      match: 'exact',
      as: 'user',
      replayEvents: 100,
      replayTimeoutMs: 60_000,
      heartbeatMs: 15_000,
      retryMs: 2_000,
      overflow: 'close',
      maxStreams: undefined,
      filter: undefined,
      hasName: false,
      hasBody: false,
      isShared: true,
      isFilterShared: true,
      snapshot: undefined,
    })
  })

  it('has what the document says', () => {
    const action = {
      ...{ match: 'wildcard', as: 'gateway', replay_events: 0, replay_timeout: 0, retry: 100 },
      ...{ heartbeat: 1000, overflow: 'drop', max_streams: 7, snapshot: { procedure: 'com.a' } },
    }
    expect(planOf(subscribe(action))).to.include({
      ...{ match: 'wildcard', as: 'gateway', replayEvents: 0, replayTimeoutMs: 0, retryMs: 100 },
      ...{ heartbeatMs: 1000, overflow: 'drop', maxStreams: 7 },
    })
    expect(planOf(subscribe(action)).kind).to.equal('events')
    expect(planOf(subscribe(action))).to.have.deep.property('snapshot', {
      name: undefined,
      body: undefined,
    })
  })

  const views: readonly (readonly [what: string, response: object, isShared: boolean])[] = [
    [
      'nothing but the event',
      { event: '{{action.event.topic}}', body: ['{{action.event}}'] },
      true,
    ],
    ['all of action', { body: '{{action}}' }, true],
    ['the request in the body', { body: '{{request.bindings.id}}' }, false],
    ['the user in the name', { event: '{{security.authid}}' }, false],
    ['all of the request', { body: { a: '{{request}}' } }, false],
  ]
  for (const [what, on_event, isShared] of views) {
    it(`is ${isShared ? '' : 'not '}shared where on_event reads ${what}`, () => {
      expect(planOf(subscribe({}, { on_event }))).to.include({ isShared, isFilterShared: true })
    })
  }

  it('tells a filter of the user from one that all streams share', () => {
    const ofUser = '{{action.event.kwargs |> get(for, $map) |> get({{security.authid}}, false)}}'
    const ofAll = '{{action.event.kwargs |> get(public, false)}}'
    expect(planOf(subscribe({ filter: ofUser }))).to.include({ isFilterShared: false })
    expect(planOf(subscribe({ filter: ofAll }))).to.include({ isFilterShared: true })
    expect(operationOf(subscribe({ filter: true })).streams).to.include({ filter: undefined })
    expect(operationOf(subscribe({ filter: false })).streams).to.nested.include({
      'filter.value': false,
    })
  })

  it('has the headers of the path without those of a body', () => {
    const headers = {
      ...{ 'content-type': 'application/json', 'cache-control': 'no-cache' },
      'x-id': '{{request.bindings.id}}',
      'Content-Encoding': '{{request.query_params.e}}',
    }
    const { head } = planOf(subscribe(), { path: { headers } })
    const names = head.layers.flatMap(({ fixed, computed }) => [
      ...Object.keys(fixed),
      ...computed.map(([name]) => name),
    ])
    expect(head.headers).to.deep.equal({ ...usual, 'cache-control': 'no-cache' })
    expect(names).to.deep.equal(['x-id'])
  })

  it('asks gateways that read the document to know of streams', () => {
    expect(serve(documentWith(subscribe())).api.features).to.deep.equal(['stream'])
    expect(serve(documentWith(call())).api.features).to.deep.equal(['stream'])
    const { on_progress: _, ...response } = call().response
    expect(serve(documentWith({ ...call(), response })).api.features).to.deep.equal([])
  })

  it('says that a request names the procedure of a snapshot', () => {
    const named = (procedure: string) =>
      operationOf(subscribe({ snapshot: { procedure, args: ['{{request.query_params}}'] } })).action
        .computedNames
    expect([...named('com.example.{{request.bindings.id}}')]).to.include('snapshot.procedure')
    expect([...named('com.example.all')]).to.deep.equal(['snapshot'])
  })
})

describe('the plan of progressive results', () => {
  it('has both types of streams, and what on_progress declares', () => {
    expect(planOf(call({ on_progress: { event: 'progress' } }))).to.deep.equal({
      kind: 'progress',
      extent: undefined,
      types: ['text/event-stream', 'application/x-ndjson'],
      head: { headers: usual, layers: [] },
      isRaw: false,
      hasName: true,
      hasBody: false,
    })
  })

  it('is raw where the result has a type of its own, which the head keeps', () => {
    const { isRaw, types, head } = planOf(call(raw)) as ReturnType<typeof planOf> & {
      isRaw: boolean
    }
    expect(isRaw).to.equal(true)
    expect(types).to.deep.equal([])
    expect(head.headers).to.include({ 'content-type': 'text/csv; charset=utf-8' })
  })

  for (const type of ['application/json', 'application/problem+json', 'application/msgpack']) {
    it(`is not raw where the result is declared as ${type}`, () => {
      const plan = planOf(call({ on_result: { headers: { 'content-type': type }, body: {} } }))
      expect(plan).to.include({ isRaw: false })
      expect(plan.head.headers).to.not.have.property('content-type')
    })
  }

  it('leaves out headers that tell of the result', () => {
    const headers = {
      'x-id': '{{request.bindings.id}}',
      'x-pages': '{{action.result.kwargs.pages}}',
    }
    const { head } = planOf(call({ on_result: { headers } }))
    expect(head.layers.flatMap(({ computed }) => computed.map(([name]) => name))).to.deep.equal([
      'x-id',
    ])
  })

  it('is none for other answers', () => {
    const { response: _, ...plain } = call()
    expect(operationOf({ ...plain, response: {} }).streams).to.equal(undefined)
  })
})
