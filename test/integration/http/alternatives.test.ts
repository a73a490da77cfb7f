/** A path with several kinds of credentials on a running gateway: its fields, the log, and the metric of decisions. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { countsIn } from '#test/support/metric-lines.ts'
import { untilHolds } from '#test/support/running/until.ts'

const realm_uri = 'com.example.test'
const get = {
  action: { type: 'static', body: { who: '{{security.authid}}', via: '{{security.via}}' } },
  response: {},
}
const document = {
  ...{ id: 'com.example.several', host: '_', realm_uri },
  versions: {
    '1': {
      base_path: '/v1',
      paths: {
        '/x': {
          security: {
            any: [
              { type: 'api_key', header_name: 'x-api-key', name: 'machine' },
              { type: 'basic' },
              { type: 'oauth2', flow: 'resource_owner_password_credentials' },
            ],
            optional: true,
          },
          get,
        },
      },
    },
  },
}

const several = { any: [{ type: 'api_key', header_name: 'x-api-key' }, { type: 'basic' }] }

describe('A path with several kinds of credentials', () => {
  let gateway: TestGateway
  let upstream: Server
  let count = 0
  const { log, lines } = keptLog()
  let key: string

  before(async () => {
    gateway = await startGateway({ 'log.access': 'true' }, { log, isEmbedded: true })
    const realm = {
      ...{ uri: realm_uri, authmethods: ['anonymous', 'password', 'oauth2', 'basic'] },
      users: [
        { username: 'ada', password: 'pass:word', groups: ['resource_owners', 'staff'] },
        { username: 'app', password: 'secret', groups: ['api_clients'] },
      ],
    }
    const headers = { 'content-type': 'application/json' }
    const load = { method: 'POST', body: JSON.stringify(realm), headers }
    expect((await send(gateway.adminUrl, '/services/load_realm', load)).status).to.equal(200)
    const made = await send(gateway.adminUrl, `/realms/${realm_uri}/users/ada/api_keys`, {
      method: 'POST',
      body: {},
    })
    key = String((made.json() as { api_key: string }).api_key)
    upstream = createServer((_request, response) => {
      count += 1
      response.end(JSON.stringify({ count }))
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const action = { type: 'forward', host: `http://127.0.0.1:${port}` }
    const kept = { security: several, cache: { ttl: 60 }, get: { action, response: {} } }
    const repeated = { security: several, idempotency: {}, post: { action, response: {} } }
    const { paths } = document.versions['1']
    Object.assign(paths, { '/kept': kept, '/once': repeated })
    await gateway.mustLoad(document)
  })
  after(async () => {
    upstream.close()
    await gateway.stop()
  })

  const ask = (headers: Readonly<Record<string, string>> = {}) =>
    send(gateway.url, '/v1/x', { headers })
  const basic = (password: string) => ({
    authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`,
  })
  const tokenOf = async () => {
    const form = 'grant_type=password&username=ada&password=pass%3Aword'
    const answer = await send(gateway.url, '/v1/oauth/token', {
      ...{ method: 'POST', body: form },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from('app:secret').toString('base64')}`,
      },
    })
    expect(answer.status, answer.text).to.equal(200)
    return String((answer.json() as { access_token: string }).access_token)
  }

  it('answers by the alternative that decides, which the log and the metric name', async () => {
    const authorization = `Bearer ${await tokenOf()}`
    const asked = [
      [{ 'x-api-key': key }, 200, 'machine'],
      [basic('pass:word'), 200, 'basic'],
      [{ authorization }, 200, 'oauth2'],
      [{}, 200, 'anonymous'],
      [{ 'x-api-key': 'gk_wrong', ...basic('pass:word') }, 401, 'machine'],
      [{ authorization: `${authorization.slice(0, -2)}xx` }, 401, 'oauth2'],
      [{ authorization: 'Bearer opaque' }, 401, undefined],
    ] as const
    lines.length = 0
    for (const [headers, status, via] of asked) {
      const answer = await ask(headers)
      expect(answer.status, JSON.stringify(headers)).to.equal(status)
      if (status === 200) expect(answer.json()).to.have.property('via', via)
    }
    const told = () => lines.filter(({ msg }) => msg === 'request')
    await untilHolds(() => told().length === asked.length)
    expect(told().map(({ via }) => via)).to.deep.equal(asked.map(([, , via]) => via))
    const { text } = await send(gateway.adminUrl, '/metrics')
    const labels = 'api="com.example.several",version="1"'
    const counted = countsIn(text.split('\n'))
      .filter((line) => line.startsWith('gateway_security_'))
      .sort()
    const line = (via: string, result: string) =>
      `gateway_security_decisions_total{${labels},via="${via}",result="${result}"} 1`
    expect(counted).to.deep.equal([
      line('', 'unauthorized'),
      line('anonymous', 'passed'),
      line('basic', 'passed'),
      line('machine', 'passed'),
      line('machine', 'unauthorized'),
      line('oauth2', 'passed'),
      line('oauth2', 'unauthorized'),
    ])
  })

  it('keeps an answer for the alternative that it was made for', async () => {
    const kept = async (headers: Readonly<Record<string, string>>) =>
      (await send(gateway.url, '/v1/kept', { headers })).json()
    const byKey = await kept({ 'x-api-key': key })
    expect(await kept({ 'x-api-key': key })).to.deep.equal(byKey)
    const byPassword = await kept(basic('pass:word'))
    expect(byPassword).to.not.deep.equal(byKey)
    expect(await kept(basic('pass:word'))).to.deep.equal(byPassword)
  })

  it('repeats a request under an Idempotency-Key for the alternative that it came by', async () => {
    const post = async (headers: Readonly<Record<string, string>>) => {
      const asked = { method: 'POST', headers: { 'idempotency-key': 'k1', ...headers } }
      return (await send(gateway.url, '/v1/once', asked)).json()
    }
    const byKey = await post({ 'x-api-key': key })
    expect(await post({ 'x-api-key': key })).to.deep.equal(byKey)
    expect(await post(basic('pass:word'))).to.not.deep.equal(byKey)
  })

  it('has each challenge in a field of its own', async () => {
    const { rawHeaders } = await rawAnswer(`${gateway.url}/v1/x`)
    const found = rawHeaders.filter((_, at) => rawHeaders[at - 1] === 'www-authenticate')
    expect(found[0]).to.equal(`ApiKey realm="${realm_uri}"`)
    expect(found[1]).to.equal(`Basic realm="${realm_uri}", charset="UTF-8"`)
    expect(found[2]).to.match(/^Bearer realm="com.example.test", resource_metadata="http.*\/v1"$/)
    expect(found).to.have.length(3)
  })
})

/** The head of an answer to a request with credentials of no kind that the path takes. */
async function rawAnswer(url: string): Promise<IncomingMessage> {
  const asked = request(url, { agent: false, headers: { authorization: 'Other x' } }).end()
  const [incoming] = (await once(asked, 'response')) as [IncomingMessage]
  return incoming.resume()
}
