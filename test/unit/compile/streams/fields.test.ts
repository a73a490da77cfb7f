/** What the action of a stream is given by requests: values that a document might hold, and topics that fit their pattern. */
import { expect } from 'chai'
import { type Ask, bodyOf, serve } from '#test/unit/gateway/fake-exchange.ts'
import { documentWith, subscribe } from './document.ts'

/** The action of a request to a stream; its reply where the action is not performed. */
async function performed(action: object, line: string, ask?: Ask) {
  const served = serve(documentWith(subscribe(action)))
  const reply = await served.ask(line, ask)
  return { reply, fields: served.performed[0]?.fields }
}

describe('a topic with expressions', () => {
  const prefix = { topic: 'com.example.{{request.bindings.id}}.', match: 'prefix' }
  const wildcard = {
    topic: 'com.{{request.bindings.id}}..v{{request.query_params.v}}',
    match: 'wildcard',
  }
  const computed = { topic: 'com.example.{{request.bindings.id}}' }
  const rows: readonly (readonly [action: object, line: string, topic: string | undefined])[] = [
    [prefix, '/7', 'com.example.7.'],
    [prefix, '/a.b', undefined],
    [prefix, '/.', undefined],
    [wildcard, '/7?v=1', 'com.7..v1'],
    [wildcard, '/7?v=', 'com.7..v'],
    [wildcard, '/7?v=1.', undefined],
    [wildcard, '/a.?v=', undefined],
    [computed, '/a.b', 'com.example.a.b'],
  ]
  for (const [action, rest, topic] of rows) {
    it(`gives ${topic ?? 'nothing'} for ${rest} as ${(action as { topic: string }).topic}`, async () => {
      const { reply, fields } = await performed(action, `GET /v1/x${rest}`)
      expect(fields?.topic).to.equal(topic)
      if (topic !== undefined) return
      expect(reply.status).to.equal(400)
      expect(bodyOf(reply)).to.include({ code: 'wamp.error.invalid_uri' })
    })
  }

  it('refuses an empty value', async () => {
    const action = { topic: 'com.example.{{request.query_params.id}}.', match: 'prefix' }
    const { reply, fields } = await performed(action, 'GET /v1/x/1?id=')
    expect(fields).to.equal(undefined)
    expect(bodyOf(reply)).to.include({
      code: 'wamp.error.invalid_uri',
      message:
        'topic: a value of the request stands for one part of it, which is neither empty nor holds a dot',
    })
  })
})

describe('a key of a stream that a request decides', () => {
  const limit = { max_events: '{{request.query_params.limit |> integer}}' }
  const read = { max_events: '{{request.body.limit}}' }
  const after = { resume_from: '{{request.body.after}}' }
  const rows: readonly (readonly [
    what: string,
    action: object,
    ask: readonly [line: string, ask?: Ask],
    isPerformed: boolean,
  ])[] = [
    ['an integer', limit, ['GET /v1/x/1?limit=3'], true],
    ['a text that is none', limit, ['GET /v1/x/1?limit=abc'], false],
    ['one that is too large', limit, ['GET /v1/x/1?limit=1000001'], false],
    ['a negative one', limit, ['GET /v1/x/1?limit=-1'], false],
    ['a text of an expression', read, ['POST /v1/x/1', { body: '{"limit":"{{1}}"}' }], false],
    ['a number for a text', after, ['POST /v1/x/1', { body: '{"after":7}' }], false],
    ['a text', after, ['POST /v1/x/1', { body: '{"after":"{{7}}"}' }], true],
  ]
  for (const [what, action, [line, ask], isPerformed] of rows) {
    it(`${isPerformed ? 'may be' : 'may not be'} ${what}`, async () => {
      const method = line.startsWith('POST') ? 'post' : 'get'
      const served = serve(documentWith(subscribe(action), { method }))
      const reply = await served.ask(line, ask)
      expect(served.performed).to.have.length(isPerformed ? 1 : 0)
      if (!isPerformed) expect(reply.status).to.equal(400)
    })
  }
})
