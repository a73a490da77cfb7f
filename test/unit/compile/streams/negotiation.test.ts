/** The media types of an answer that is a stream, or may be one. */
import { expect } from 'chai'
import { negotiateType } from '#component/gateway/checks.ts'
import { FakeExchange, serve } from '#test/unit/gateway/fake-exchange.ts'
import { type Around, call, documentWith, operationOf, raw, subscribe } from './document.ts'

/** What is declared, Accept, the media type; undefined: 406. */
const negotiations: readonly (readonly [
  what: string,
  operation: object,
  around: Around,
  rows: readonly (readonly [accept: string | undefined, type: string | undefined])[],
])[] = [
  [
    'a stream of events',
    subscribe(),
    {},
    [
      [undefined, 'text/event-stream'],
      ['*/*', 'text/event-stream'],
      ['text/*', 'text/event-stream'],
      ['application/x-ndjson', 'application/x-ndjson'],
      ['application/x-ndjson, text/event-stream;q=0.5', 'application/x-ndjson'],
      ['text/event-stream;q=0, */*', 'application/x-ndjson'],
      ['application/json', undefined],
      ['application/json, text/event-stream;q=0.1', 'text/event-stream'],
    ],
  ],
  [
    'a stream of events that inherits other types',
    subscribe(),
    { defaults: { provides: ['application/json'] } },
    [
      ['*/*', 'text/event-stream'],
      ['application/json', undefined],
    ],
  ],
  [
    'a stream of events that inherits one type of a stream',
    subscribe(),
    { defaults: { provides: ['application/json', 'application/x-ndjson'] } },
    [
      ['*/*', 'application/x-ndjson'],
      ['text/event-stream', undefined],
    ],
  ],
  [
    'a stream of one event',
    subscribe({ max_events: 1 }),
    {},
    [
      [undefined, 'text/event-stream'],
      ['*/*', 'text/event-stream'],
      ['application/json', 'application/json'],
      ['application/json, text/event-stream;q=0.9', 'application/json'],
      ['application/msgpack', undefined],
    ],
  ],
  [
    'a stream of one event that names its types',
    subscribe({ max_events: 1 }, {}, { provides: ['application/json', 'application/x-ndjson'] }),
    {},
    [
      ['*/*', 'application/json'],
      ['text/event-stream', undefined],
    ],
  ],
  [
    'a stream of one event as JSON',
    subscribe({ max_events: 1 }, {}, { provides: ['application/json'] }),
    {},
    [
      ['*/*', 'application/json'],
      ['application/x-ndjson', undefined],
    ],
  ],
  [
    'a stream of as many events as the request wants',
    subscribe({ max_events: '{{request.query_params |> get(limit, 1) |> integer}}' }),
    {},
    [['application/json', undefined]],
  ],
  [
    'a call with progressive results',
    call(),
    {},
    [
      [undefined, 'application/json'],
      ['*/*', 'application/json'],
      ['application/msgpack', 'application/msgpack'],
      ['text/event-stream', 'text/event-stream'],
      ['application/x-ndjson', 'application/x-ndjson'],
      ['text/event-stream;q=0.1, application/json', 'application/json'],
      ['text/event-stream, application/json', 'application/json'],
      ['text/event-stream, */*;q=0.1', 'text/event-stream'],
      ['text/html', undefined],
    ],
  ],
  [
    'a call with progressive results that names its types',
    call({}, { provides: ['text/event-stream', 'application/json'] }),
    {},
    [
      ['*/*', 'application/json'],
      ['text/event-stream', 'text/event-stream'],
      ['application/x-ndjson', undefined],
    ],
  ],
  [
    'a call with nothing but progressive results',
    call({}, { provides: ['text/event-stream'] }),
    {},
    [
      ['*/*', 'text/event-stream'],
      ['application/json', undefined],
    ],
  ],
  [
    'a call whose result has a type of JSON',
    call({ on_result: { headers: { 'content-type': 'application/ld+json' }, body: {} } }),
    {},
    [
      ['*/*', 'application/ld+json'],
      ['text/event-stream', 'text/event-stream'],
    ],
  ],
  [
    'a call whose pieces are bytes',
    call(raw),
    {},
    [
      ['*/*', 'text/csv; charset=utf-8'],
      ['text/event-stream', undefined],
    ],
  ],
  [
    'a call without on_progress that inherits types of streams',
    { ...call(), response: {} },
    { defaults: { provides: ['text/event-stream', 'application/msgpack'] } },
    [
      ['*/*', 'application/msgpack'],
      ['text/event-stream', undefined],
    ],
  ],
]

describe('the type of an answer that is or may be a stream', () => {
  for (const [what, operation, around, rows] of negotiations) {
    for (const [accept, type] of rows) {
      const wanted = accept === undefined ? 'no Accept' : `Accept: ${accept}`
      it(`is ${type ?? 'refused'} for ${what} and ${wanted}`, () => {
        const headers: Record<string, string> = accept === undefined ? {} : { accept }
        const found = operationOf(operation, around)
        const chosen = () => negotiateType(new FakeExchange('GET /', { headers }), found)
        if (type === undefined) expect(chosen).to.throw('expected an Accept header that allows')
        else expect(chosen()).to.equal(type)
      })
    }
  }

  it('is JSON for an error, whatever the client accepts', async () => {
    const { ask } = serve(documentWith(subscribe()))
    const reply = await ask('GET /v1/x/1', { headers: { accept: 'application/json' } })
    expect(reply).to.nested.include({ status: 406, 'body.type': 'application/json' })
    expect(operationOf(subscribe()).inherited.errorTypes).to.not.include('text/event-stream')
  })
})
