/** OAuth2 endpoints behind the listener: how bodies are read, and what is not logged. */
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { untilHolds } from '#test/support/running/until.ts'
import { basic, oauth } from '#test/unit/http/oauth/fixture.ts'
import { type Answer, exchangeRaw, type Fixture, open, post } from './fixture.ts'

const form = 'application/x-www-form-urlencoded'
const token = '/v1/oauth/token'

describe('the token endpoint behind the listener', () => {
  let fixture: Fixture

  beforeEach(async () => {
    const { handle } = oauth()
    fixture = await open({ gateway: { handle } })
  })
  afterEach(() => fixture.stop())

  const ask = (body: string | Uint8Array, headers: readonly string[] = [], path = token) =>
    exchangeRaw(fixture.port, post(path, form, body, headers))

  const told = ({ status, body }: Answer) => [status, JSON.parse(body).error]

  it('reads a form, compressed too, and answers JSON that nobody keeps', async () => {
    const { authorization } = basic('app:s3cret')
    for (const [body, headers] of [
      ['grant_type=password&username=%C3%A9', []],
      [gzipSync('grant_type=password&username=%C3%A9'), ['Content-Encoding: gzip']],
    ] as const) {
      const answer = await ask(body, [`Authorization: ${authorization}`, ...headers])
      expect(answer.status).to.equal(200)
      const { form: read, context } = JSON.parse(Buffer.from(answer.body, 'latin1').toString())
      expect(read).to.deep.equal({ grant_type: 'password', username: 'é' })
      expect(context.client.authid).to.equal('app')
      expect(answer.headers).to.include({
        'content-type': 'application/json',
        'cache-control': 'no-store',
      })
    }
  })

  for (const [title, body, headers, expected] of [
    ['more than 64 KiB', `a=${'b'.repeat(65_536)}`, [], [413, 'invalid_request']],
    [
      'more than 64 KiB, compressed',
      gzipSync(`a=${'b'.repeat(65_536)}`),
      ['Content-Encoding: gzip'],
      [413, 'invalid_request'],
    ],
    ['an unknown coding', 'a=b', ['Content-Encoding: zstd'], [415, 'invalid_request']],
    ['bytes that are no UTF-8', Buffer.from('a=\xff', 'latin1'), [], [400, 'invalid_request']],
    ['a parameter twice', 'a=b&a=b', [], [400, 'invalid_request']],
    ['Basic that is none', 'a=b', ['Authorization: Basic %%%'], [401, 'invalid_client']],
  ] as const) {
    it(`refuses ${title} in the words of OAuth, in JSON, whatever is accepted`, async () => {
      const accept = 'Accept: application/msgpack, application/problem+json'
      const answer = await ask(body, [accept, ...headers])
      expect(told(answer)).to.deep.equal(expected)
      expect(answer.headers).to.include({
        'content-type': 'application/json',
        'cache-control': 'no-store',
      })
    })
  }

  it('logs neither queries nor forms nor credentials', async () => {
    const { authorization } = basic('app:s3cret')
    await ask('grant_type=password&password=canary1', [`Authorization: ${authorization}`])
    await ask('password=canary2', [], `${token}?password=canary3`)
    await ask('client_id=app&client_secret=canary4')
    const requests = () => fixture.logged.filter(({ msg }) => msg === 'request')
    await untilHolds(() => requests().length === 3)
    expect(requests().map(({ route, status, error }) => [route, status, error])).to.deep.equal([
      [token, 200, undefined],
      [token, 400, 'service.error.bad_request'],
      [token, 401, 'service.error.unauthorized'],
    ])
    const logged = JSON.stringify(fixture.logged)
    for (const secret of ['canary', 's3cret', authorization, 'password']) {
      expect(logged).to.not.contain(secret)
    }
  })
})
