/** Examples of calls with progressive results: what the client sees of the pieces that are given. */
import { expect } from 'chai'
import { problemsOf } from './one-example.ts'

const bindings = { id: '7' }

/** An operation whose result may come in pieces. */
const inPieces = (on_result: object = {}, body: unknown = '{{action.progress.args |> head}}') => ({
  action: { type: 'wamp_call', procedure: 'com.example.recite' },
  response: {
    on_progress: { event: 'line', body },
    on_result: { body: '{{action.result.args |> head}}', ...on_result },
    on_error: { body: '{{action.error.error_uri}}' },
  },
})

const asStream = { bindings, headers: { accept: 'text/event-stream' } }
const two = [{ args: ['one'] }, { args: ['two'] }]

describe('examples of a call with progressive results', () => {
  for (const [what, operation, example] of [
    [
      'the pieces, then the result',
      inPieces(),
      {
        outcome: { pieces: two, result: { args: [2] } },
        expect: {
          ...{ status: 200, headers: { 'content-type': 'text/event-stream' } },
          frames: [
            { id: '1', event: 'line', data: 'one' },
            { id: '2', event: 'line', data: 'two' },
            { event: 'result', data: 2 },
          ],
          action: { procedure: 'com.example.recite', options: { receive_progress: true } },
        },
      },
    ],
    [
      'the result of a call without pieces',
      inPieces(),
      { outcome: { result: { args: [0] } }, expect: { frames: [{ event: 'result', data: 0 }] } },
    ],
    [
      'a failure behind a piece',
      inPieces(),
      {
        outcome: { pieces: two.slice(1), error: { error_uri: 'com.example.tired' } },
        expect: {
          status: 200,
          frames: [{ data: 'two' }, { event: 'error', data: 'com.example.tired' }],
          error_code: 'com.example.tired',
        },
      },
    ],
    [
      'an expression that fails on the second piece',
      inPieces({}, '{{action.progress.args |> head |> integer}}'),
      {
        outcome: { pieces: [{ args: [1] }, { args: ['x'] }, { args: [3] }], result: {} },
        expect: {
          frames: [{ data: 1 }, { event: 'error' }],
          error_code: 'service.error.http_gateway.invalid_expression',
        },
      },
    ],
    [
      'a failure before the first piece',
      inPieces(),
      {
        outcome: { error: { error_uri: 'com.example.tired' } },
        expect: { status: 500, body: 'com.example.tired' },
      },
    ],
    [
      'a client that wants JSON',
      inPieces(),
      {
        request: { bindings },
        outcome: { pieces: two, result: { args: [2] } },
        expect: {
          body: 2,
          headers: { 'content-type': 'application/json' },
          action: { options: {} },
        },
      },
    ],
    [
      'a client that comes back: nothing is called',
      inPieces(),
      {
        request: { bindings, headers: { ...asStream.headers, 'last-event-id': '1' } },
        expect: { status: 204, action: null },
      },
    ],
    [
      'pieces that are the body',
      inPieces({ headers: { 'content-type': 'text/plain' } }),
      {
        request: { bindings },
        outcome: { pieces: two, result: { args: ['!'] } },
        expect: { body: 'onetwo!', headers: { 'content-type': 'text/plain' } },
      },
    ],
  ] as const) {
    it(`hold: ${what}`, async () => {
      const { response, ...rest } = operation
      const { event, ...raw } = response.on_progress
      const isRaw = 'headers' in response.on_result
      const on_progress = isRaw ? raw : { event, ...raw }
      const written = { request: asStream, ...example }
      const told = await problemsOf({ ...rest, response: { ...response, on_progress } }, written)
      expect(told).to.deep.equal([])
    })
  }

  it('fail where the connection is cut', async () => {
    const { action, response } = inPieces({ headers: { 'content-type': 'text/plain' } })
    const { event: _, ...on_progress } = response.on_progress
    const example = {
      request: { bindings },
      outcome: { pieces: two, error: { error_uri: 'com.example.tired' } },
      expect: { body: 'onetwo', error_code: 'com.example.tired' },
    }
    expect(
      await problemsOf({ action, response: { ...response, on_progress } }, example),
    ).to.deep.equal(['expect/body: expected a whole body, found one that is cut: "one"'])
  })
})
