/** Streams in a description. */
import { expect } from 'chai'
import { call, raw, subscribe } from '#test/unit/compile/streams/document.ts'
import { operationOf, type Seen } from './describe.ts'

const sse = { type: 'string', description: 'Server-Sent Events, whose data is JSON.' }
const ndjson = { type: 'string', description: 'One JSON object a line: `{id, event, data}`.' }

/** The content of an answer as schemas by media type. */
const contentOf = (responses: Seen, status: string): Seen => {
  const content: Readonly<Record<string, { schema: unknown }>> = responses[status].content
  return Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, schema]))
}

const responsesOf = (operation: object, method = 'get'): Seen =>
  operationOf(operation, { method }).responses

describe('a stream in a description', () => {
  it('is 200 in the types of streams, also under post', () => {
    for (const method of ['get', 'post']) {
      const responses = responsesOf(subscribe(), method)
      expect(contentOf(responses, '200')).to.deep.equal({
        'text/event-stream': sse,
        'application/x-ndjson': ndjson,
      })
      expect(responses).to.include.keys('400', '406', '429', '503')
      expect(responses).to.not.have.property('204')
    }
  })

  it('may be JSON where it has one event', () => {
    const content = contentOf(responsesOf(subscribe({ max_events: 1 })), '200')
    expect(content['application/json']).to.deep.equal({})
  })

  it('has what its author says of its events', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } }
    const operation = subscribe({}, {}, { responses: { 200: { description: 'Ticks.', schema } } })
    const responses = responsesOf(operation)
    expect(responses['200'].description).to.equal('Ticks.')
    expect(contentOf(responses, '200')['text/event-stream']).to.deep.equal(schema)
  })

  it('stands beside the JSON answer of a call with progressive results', () => {
    const on_result = { body: '{{action.result.kwargs}}', schema: { type: 'object' } }
    const responses = responsesOf(call({ on_result }), 'post')
    expect(contentOf(responses, '200')).to.deep.equal({
      'application/json': { type: 'object' },
      'application/msgpack': { type: 'object' },
      'text/event-stream': sse,
      'application/x-ndjson': ndjson,
    })
    expect(Object.keys(responses)).to.include('204')
  })

  it('is 200 whatever the status of the JSON answer is', () => {
    const responses = responsesOf(call({ on_result: { status_code: 202, body: 'x' } }), 'post')
    expect(Object.keys(contentOf(responses, '202'))).to.deep.equal([
      'application/json',
      'application/msgpack',
    ])
    expect(contentOf(responses, '200')).to.deep.equal({
      'text/event-stream': sse,
      'application/x-ndjson': ndjson,
    })
  })

  it('is bytes of the declared type where the pieces are raw', () => {
    const responses = responsesOf(call(raw), 'put')
    expect(contentOf(responses, '200')).to.deep.equal({ 'text/csv': {} })
    expect(responses).to.not.have.property('204')
  })

  it('takes Last-Event-ID, and what its filter and its events read of the request', () => {
    const operation = subscribe(
      { filter: '{{action.event.kwargs |> get({{request.query_params.key}}, false)}}' },
      { on_event: { body: '{{request.headers.x-tenant}}' } },
    )
    const { parameters } = operationOf(operation)
    expect(parameters.map(({ name }: Seen) => name)).to.have.members([
      'key',
      'x-tenant',
      'last-event-id',
    ])
    expect(operationOf(call(raw)).parameters).to.equal(undefined)
  })
})
