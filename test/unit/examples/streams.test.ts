/** Examples of operations that stream events: what the client sees of the events that are given. */
import { expect } from 'chai'
import { problemsOf } from './one-example.ts'

const topic = 'com.example.order'

/** An operation that subscribes. */
const subscribe = (action: object = {}, response: object = {}) => ({
  action: { type: 'wamp_subscribe', topic, ...action },
  response: { on_error: {}, ...response },
})

const accept = { headers: { accept: 'application/x-ndjson' } }
const bindings = { id: '7' }
const first = { on_event: { event: 'order', body: '{{action.event.args |> head}}' } }
const secured = { defaults: { security: { type: 'basic' } } }
const complete = { id: null, event: 'end', data: { code: 'complete' } }

describe('examples of a stream of events', () => {
  for (const [what, operation, example, more] of [
    [
      'events as they are',
      subscribe(),
      {
        outcome: { events: [{ args: [7], kwargs: { a: 1 } }] },
        expect: {
          ...{ status: 200, headers: { 'content-type': 'text/event-stream' } },
          frames: [{ event: null, data: { topic, args: [7], kwargs: { a: 1 } } }],
          action: { topic, session_of: null, options: { match: 'exact' } },
        },
      },
      {},
    ],
    [
      'named events with a body, in lines',
      subscribe({}, first),
      {
        request: { bindings, ...accept },
        outcome: { events: [{ args: [2n ** 60n] }, { args: ['a\nb'] }] },
        expect: {
          headers: {
            'content-type': 'application/x-ndjson',
            'cache-control': 'no-store, no-transform',
          },
          frames: [
            { event: 'order', data: 2n ** 60n },
            { event: 'order', data: 'a\nb' },
          ],
        },
      },
      {},
    ],
    ['no events', subscribe(), { expect: { status: 200, frames: [] } }, {}],
    [
      'events up to a number',
      subscribe({ max_events: 2 }, first),
      {
        outcome: { events: [{ args: [1] }, { args: [2] }, { args: [3] }] },
        expect: { frames: [{ data: 1 }, { data: 2 }, complete] },
      },
      {},
    ],
    [
      'a schema of the data',
      subscribe({}, first),
      {
        outcome: { events: [{ args: [{ id: 7 }] }] },
        expect: { frames: [{ data_matches: { type: 'object', required: ['id'] } }] },
      },
      {},
    ],
    [
      'one event as JSON',
      subscribe({ max_events: 1 }, first),
      {
        request: { bindings, headers: { accept: 'application/json' } },
        outcome: { events: [{ args: [{ n: 1 }] }, { args: [2] }] },
        expect: {
          ...{ status: 200, headers: { 'content-type': 'application/json' } },
          body: { n: 1 },
        },
      },
      {},
    ],
    [
      'no event as JSON',
      subscribe({ max_events: 1, max_duration: 1000 }, first),
      {
        request: { bindings, headers: { accept: 'application/json' } },
        expect: { status: 404, error_code: 'service.error.not_found' },
      },
      {},
    ],
    [
      'events that the filter passes, for the user who asks',
      subscribe(
        {
          as: 'gateway',
          filter: '{{action.event.kwargs |> get({{security.authid}}, false) |> boolean}}',
        },
        { on_event: { body: '{{action.event.args |> head}}' } },
      ),
      {
        as: { authid: 'ada' },
        outcome: {
          events: [
            { args: [1], kwargs: { ada: true } },
            { args: [2], kwargs: { bob: true } },
          ],
        },
        expect: { frames: [{ data: 1 }], action: { session_of: null } },
      },
      secured,
    ],
    [
      "the user's own session",
      subscribe(),
      { outcome: { events: [] }, expect: { action: { session_of: 'example' } } },
      secured,
    ],
    [
      'topics that match the subscription, and no others',
      subscribe(
        { topic: 'com.example.order.{{request.bindings.id}}.', match: 'prefix' },
        { on_event: { event: '{{action.event.topic}}', body: '' } },
      ),
      {
        request: { bindings },
        outcome: {
          events: ['com.example.order.7.paid', 'com.example.order.71.paid'].map((one) => ({
            topic: one,
          })),
        },
        expect: { frames: [{ event: 'com.example.order.7.paid' }] },
      },
      {},
    ],
    [
      'a client that would widen the topic',
      subscribe({ topic: 'com.example.order.{{request.bindings.id}}.', match: 'prefix' }),
      {
        request: { bindings: { id: '7.8' } },
        expect: { status: 400, error_code: 'wamp.error.invalid_uri', action: null },
      },
      {},
    ],
    [
      'retained events',
      subscribe({ options: { get_retained: true } }, first),
      {
        outcome: { events: [{ retained: true, args: ['old'] }, { args: ['new'] }] },
        expect: {
          frames: [{ data: 'old' }, { data: 'new' }],
          action: { options: { get_retained: true, match: 'exact' } },
        },
      },
      {},
    ],
    [
      'a snapshot before the events',
      subscribe(
        { snapshot: { procedure: 'com.example.get', args: ['{{request.bindings.id}}'] } },
        { ...first, on_snapshot: { body: '{{action.result.kwargs}}' } },
      ),
      {
        request: { bindings },
        outcome: { snapshot: { result: { kwargs: { n: 1 } } }, events: [{ args: [2] }] },
        expect: {
          frames: [
            { id: null, event: 'snapshot', data: { n: 1 } },
            { event: 'order', data: 2 },
          ],
          action: {
            topic,
            snapshot: { procedure: 'com.example.get', args: ['7'], kwargs: {}, options: {} },
          },
        },
      },
      {},
    ],
    [
      'a snapshot that fails',
      subscribe({ snapshot: { procedure: 'com.example.get' } }),
      {
        outcome: { snapshot: { error: { error_uri: 'wamp.error.not_authorized' } }, events: [{}] },
        expect: {
          status: 403,
          body: { error_uri: 'wamp.error.not_authorized', args: [], kwargs: {}, details: {} },
        },
      },
      {},
    ],
    [
      'a subscription that is refused',
      subscribe({}, { on_error: { body: '{{action.error.error_uri}}' } }),
      {
        outcome: { error: { error_uri: 'wamp.error.not_authorized' } },
        expect: {
          status: 403,
          body: 'wamp.error.not_authorized',
          error_code: 'wamp.error.not_authorized',
        },
      },
      {},
    ],
    [
      'a client that comes back to what is not kept',
      subscribe({}, first),
      {
        request: { bindings, headers: { 'last-event-id': '7-abcdef' } },
        outcome: { events: [{ args: [1] }] },
        expect: {
          frames: [{ id: null, event: 'gap', data: { code: 'history_lost' } }, { data: 1 }],
        },
      },
      {},
    ],
    [
      'an event whose expressions fail, and the next one',
      subscribe({}, { on_event: { body: '{{action.event.args |> head |> integer}}' } }),
      {
        outcome: { events: [{ args: ['x'] }, { args: [1] }] },
        expect: {
          frames: [{ event: 'gap', data_matches: { required: ['code', 'id'] } }, { data: 1 }],
        },
      },
      {},
    ],
    [
      'a client that wants neither type',
      subscribe(),
      {
        request: { bindings, headers: { accept: 'application/json' } },
        expect: { status: 406, error_code: 'service.error.not_acceptable' },
      },
      {},
    ],
  ] as const) {
    it(`hold: ${what}`, async () => {
      const written = { request: { bindings }, ...example }
      expect(await problemsOf(operation, written, more)).to.deep.equal([])
    })
  }

  it('fail, and tell what the expressions of the events saw', async () => {
    const example = {
      request: { bindings },
      outcome: { events: [{ args: [1] }] },
      expect: { frames: [{ event: 'order', data: 2 }] },
    }
    expect(await problemsOf(subscribe({}, first), example)).to.deep.equal([
      'expect/frames/0/data: expected 2, found 1\n{{action.event.args |> head}}: action.event.args = [1] |> head = 1',
    ])
  })

  for (const [outcome, line] of [
    [{ pieces: [] }, 'outcome/pieces: only a call with on_progress has pieces'],
    [{ result: {} }, 'outcome/result: a subscription has no result: give events'],
    [
      { events: [], snapshot: { result: {} } },
      'outcome/snapshot: only an action of type wamp_subscribe with a snapshot has one',
    ],
  ] as const) {
    it(`fail where the outcome is not one of the action: ${JSON.stringify(outcome)}`, async () => {
      const example = { request: { bindings }, outcome, expect: { status: 200 } }
      expect(await problemsOf(subscribe(), example)).to.deep.equal([line])
    })
  }

  it('have equal ids in each run', async () => {
    const example = {
      request: { bindings },
      outcome: { events: [{ publication_id: 99 }] },
      expect: { frames: [{ id: '' }] },
    }
    const [once] = await problemsOf(subscribe(), example)
    const [again] = await problemsOf(subscribe(), example)
    expect(once).to.equal(again)
    expect(once).to.match(/found "99-[0-9a-f]{6}"$/)
  })
})
