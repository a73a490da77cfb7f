/** What may stand beside a body that is streamed, and what its operation becomes. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'

const call = { type: 'wamp_call', procedure: 'com.example.p' }
const compiled = (operation: object, method = 'put', defaults = {}) =>
  compileDocument(
    {
      ...{ id: 'x', host: '_', realm_uri: 'com.example', defaults },
      versions: {
        1: {
          base_path: '/v1',
          paths: {
            '/x': { [method]: { body: 'stream', action: call, response: {}, ...operation } },
          },
        },
      },
    },
    { callTimeout: 30_000 },
  )
const routeOf = ({ api }: ReturnType<typeof compiled>) => api?.entries[0]?.routes.put

describe('a body that is streamed', () => {
  it('is read by nobody, and is held to limits of its own', () => {
    const found = compiled({ body_max_bytes: 7, body_idle_timeout: 9, accepts: ['image/*'] })
    expect(found.issues).to.deep.equal([])
    expect(routeOf(found)).to.deep.include({
      readsBody: false,
      streamedBody: {
        ...{ body_max_bytes: 7, body_read_bytes: 65_536, body_read_seconds: 9 },
        ...{ heldBytes: 131_072, form: undefined },
      },
    })
    expect(found.api?.features).to.include('body_stream')
  })

  it('may stand beside a cache that others have', () => {
    expect(compiled({}, 'put', { cache: { ttl: 9, per: 'all' } }).issues).to.deep.equal([])
  })

  for (const [why, operation, method] of [
    ['only POST, PUT and PATCH have a body', {}, 'delete'],
    ['a list of actions cannot take it', { action: [call, call] }, 'put'],
    ['a static cannot take it', { action: { type: 'static' } }, 'put'],
    [
      'a forward cannot take it',
      { action: { type: 'forward', host: 'https://example.com' } },
      'put',
    ],
    [
      'an expression or a schema reads it',
      { action: { ...call, args: ['{{request.body}}'] } },
      'put',
    ],
    [
      'an expression or a schema reads it',
      { response: { on_result: { body: '{{request.body_length}}' } } },
      'put',
    ],
    ['an expression or a schema reads it', { request: { body: { type: 'string' } } }, 'put'],
    ['it is compared with that of a repeat', { idempotency: { required: true } }, 'post'],
    [
      'the response is a stream',
      { response: { on_progress: { body: '{{action.progress.args}}' } } },
      'put',
    ],
    [
      'multipart/form-data is read as a form, and stands alone among the types that are accepted',
      { accepts: ['multipart/*', 'image/png'] },
      'put',
    ],
  ] as const) {
    it(`is an issue where ${why}: ${JSON.stringify(operation).slice(0, 60)}`, () => {
      const messages = compiled(operation, method).issues.map(({ message }) => message)
      expect(messages).to.include(`the body cannot be streamed: ${why}`)
    })
  }

  for (const action of [
    { chunk_bytes: 4095 },
    { chunk_bytes: 1_048_577 },
    { flow: 'credit' },
    { window: 0 },
    { window: '{{request.bindings.n}}' },
  ]) {
    it(`is an issue with ${JSON.stringify(action)}`, () => {
      expect(compiled({ action: { ...call, ...action } }).issues).not.to.be.empty
    })
  }
})
