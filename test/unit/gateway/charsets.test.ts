/** A 415 for a charset names it. */
import { expect } from 'chai'
import { documentOf, serve } from './fake-exchange.ts'

describe('a body of another charset', () => {
  const served = serve(
    documentOf({
      '/x': { post: { action: { type: 'static', body: '{{request.body}}' }, response: {} } },
    }),
  )
  const wanted = 'expected a body of type application/json or application/msgpack'

  for (const [type, named] of [
    ['application/json; charset=iso-8859-1', 'the charset iso-8859-1 is not read, only utf-8: '],
    [
      'application/json;charset="Windows-1252"',
      'the charset windows-1252 is not read, only utf-8: ',
    ],
    ['application/json; charset=utf-16', 'the charset utf-16 is not read, only utf-8: '],
    ['text/plain; charset=latin1', ''],
    ['text/plain; charset=klingon', 'the charset klingon is not read: '],
    ['application/msgpack; charset=us-ascii; x=y', undefined],
    ['application/json; x=y; charset=us-ascii', undefined],
    ['application/json; charset=', 'the charset is not read, only utf-8: '],
    ['application/json; charset=a b<c>', 'the charset is not read, only utf-8: '],
    [`application/json; charset=${'x'.repeat(41)}`, 'the charset is not read, only utf-8: '],
    ['text/plain; charset=utf-8', ''],
    ['text/plain', ''],
  ] as const) {
    it(`is ${named === undefined ? 'read' : 415}: ${type.slice(0, 50)}`, async () => {
      const { status, error } = await served.ask('POST /v1/x', {
        headers: { 'content-type': type },
        body: '1',
      })
      expect([status, error?.message]).to.deep.equal(
        named === undefined ? [200, undefined] : [415, `${named}${wanted}`],
      )
    })
  }
})
