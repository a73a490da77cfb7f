/** Failures that no document causes: of each, one line of the log says why, beside the line of the request. */
import { expect } from 'chai'
import type { Reply } from '#component/gateway/exchange.ts'
import { ownPath } from '#component/metrics/place.ts'
import { send } from '#test/support/http-request.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { open } from './fixture.ts'

type Change = Parameters<typeof open>[0]

const bug = (): never => {
  throw new TypeError('a bug')
}
const bugLine = {
  level: 'error',
  msg: 'a request failed because of a bug in the gateway',
  error: 'service.error.internal',
}
const unencodable: Reply = {
  ...{ status: 200, headers: {} },
  body: { kind: 'value', value: '\ud800', type: 'application/msgpack' },
}

/** What fails, how, and the line. */
const rows: readonly (readonly [string, Change, Readonly<Record<string, unknown>>])[] = [
  ['a bug', { gateway: { handle: bug } }, bugLine],
  [
    'a bug in a later turn',
    { gateway: { handle: () => Promise.reject(new TypeError('a bug')) } },
    bugLine,
  ],
  [
    'an answer that cannot be encoded',
    {
      gateway: {
        handle(exchange) {
          exchange.served = ownPath('/x')
          return Promise.resolve(unencodable)
        },
      },
    },
    {
      level: 'error',
      msg: 'a request failed',
      error: 'service.error.http_gateway.invalid_expression',
      reason: 'a text is not valid Unicode',
      route: '/x',
    },
  ],
  [
    'a node that is not ready yet',
    { gateway: { handle: bug }, isReady: () => false },
    {
      level: 'error',
      msg: 'a request failed',
      error: 'service.error.unavailable',
      reason: 'this node is not ready yet',
    },
  ],
]

describe('a request that fails for another reason than its document', () => {
  for (const [what, change, line] of rows) {
    it(`such as ${what} has one line`, async () => {
      const fixture = await open(change)
      try {
        const answer = await send(`http://127.0.0.1:${fixture.port}`, '/x')
        expect(answer.status).to.be.at.least(500)
        expect(answer.text).to.not.contain('a bug')
        await untilHolds(() => fixture.logged.some(({ msg }) => msg === 'request'))
        const told = fixture.logged.filter(({ level }) => level === 'error')
        expect(told).to.have.length(1)
        expect(told[0]).to.include({ ...line, status: answer.status })
        expect(told[0]?.request_id).to.equal(answer.headers['x-request-id'])
        if (line === bugLine) expect(told[0]).to.have.nested.property('err.stack')
      } finally {
        await fixture.stop()
      }
    })
  }

  for (const [what, headersOf] of [
    ['a header that no head can hold', () => ({ 'x-odd': 'a\u0000b' })],
    [
      'a bug in what makes headers',
      ({ path }: { readonly path: string }) => (path === '/x' ? bug() : {}),
    ],
  ] as const)
    it(`and whose error response fails by ${what} loses its connection, and no other request its response`, async () => {
      const fixture = await open({ gateway: { handle: bug, headersOf } })
      try {
        const url = `http://127.0.0.1:${fixture.port}`
        const lost = await send(url, '/x').then(
          ({ status }) => status,
          ({ code }) => code,
        )
        expect(lost).to.equal('ECONNRESET')
        await untilHolds(() => fixture.logged.some(({ msg }) => msg === 'request'))
        expect(fixture.logged.some((line) => line.msg === bugLine.msg)).to.equal(true)
        const again = await send(`http://127.0.0.1:${fixture.adminPort}`, '/ping')
        expect(again.status).to.equal(200)
      } finally {
        await fixture.stop()
      }
    })
})
