/** The access line of a request without a route tells host, path and peer, and no secret. */
import { expect } from 'chai'
import { exchangeRaw, type Fixture, open } from '#test/integration/http/fixture.ts'

describe('the access line of a request without a route', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await open()
  })
  after(() => fixture.stop())

  const lineOf = async (target: string) => {
    fixture.logged.length = 0
    const answer = await exchangeRaw(
      fixture.port,
      `GET ${target} HTTP/1.1\r\nHost: Shop.example:81\r\n\r\n`,
    )
    while (fixture.logged.length === 0) await new Promise((resolve) => setImmediate(resolve))
    return { status: answer.status, ...fixture.logged[0] } as Record<string, unknown>
  }

  for (const [what, target, path] of [
    ['a path', '/nothing', '/nothing'],
    ['a path with a query', '/nothing?token=abcdef', '/nothing'],
    ['escapes', '/a%0Ab/%22', '/a%0Ab/%22'],
    ['what is escaped', '/a|b', '/a%7Cb'],
    ['a secret behind its name', '/reset-password/abcdef/x', '/reset-password/‹redacted›/x'],
    ['a secret with its name', '/x/access_token=abcdef/y', '/x/‹redacted›/y'],
    ['a matrix parameter', '/x;api_key=abcdef/y', '/‹redacted›/y'],
    ['an escaped name', '/x/to%6ben/abcdef', '/x/to%6ben/‹redacted›'],
    ['a name at the end', '/x/token/', '/x/token/'],
    ['a long path', `/${'x'.repeat(300)}`, `/${'x'.repeat(255)}`],
  ] as const) {
    it(`has ${what}`, async () => {
      const line = await lineOf(target)
      expect(line).to.include({
        msg: 'request',
        status: 404,
        route: '',
        host: 'shop.example',
        path,
      })
      expect(line.peer).to.match(/^127\.0\.0\.1:\d+$/)
      expect(JSON.stringify(line)).to.not.include('abcdef')
    })
  }

  it('has neither where there is a route', async () => {
    const line = await lineOf('/v1/x')
    expect(line).to.include({ status: 200, route: '/v1/x' })
    expect(line).to.not.have.any.keys('host', 'path')
  })
})
