/** Secrets of upstreams are nowhere but in the requests that they are for: 24 marked ones, looked for in all that a gateway tells and keeps. */
import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'
import { startTokenServer, type TokenServer } from './token-server.ts'
import { closeAll, realm_uri, startTarget, startWith } from './upstreams.ts'

const marked = (name: string) => `marked-${name}-0123456789`

const fixed = Object.fromEntries([
  ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => [
    `header-${name}`,
    {
      type: 'header',
      name: `x-${name}`,
      prefix: name === 'h' ? 'Bearer ' : '',
      secret: marked(`header-${name}`),
    },
  ]),
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [
    `query-${name}`,
    { type: 'query', name: `q${name}`, secret: marked(`query-${name}`) },
  ]),
  ...['a', 'b', 'c'].map((name) => [
    `basic-${name}`,
    { type: 'basic', username: 'gw', password: marked(`basic-${name}`) },
  ]),
])

describe('secrets of upstreams', () => {
  let server: TokenServer
  let receiver: Receiver
  before(async () => {
    server = await startTokenServer()
    receiver = await startReceiver()
  })
  after(async () => {
    await closeAll()
    server.stop()
    await receiver.close()
  })

  it('are in no GET, version, difference, explanation, trace, log line, metric, span, answer, and not in the database', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const client = { token_url: `${server.url}/token`, client_id: 'gw' }
    const auths: Record<string, object> = {
      ...fixed,
      'client-basic': {
        type: 'client_credentials',
        ...client,
        client_secret: marked('client-basic'),
      },
      'client-post': {
        ...{ type: 'client_credentials', ...client, client_secret: marked('client-post') },
        client_authentication: 'post',
      },
      'client-key': { type: 'client_credentials', ...client, private_key: pem },
      'user-token': { type: 'token_exchange', ...client, client_secret: marked('user-token') },
    }
    const arrived: string[] = []
    const target = await startTarget((request, response) => {
      arrived.push(`${request.url} ${JSON.stringify(request.headers)}`)
      // it tells in its fields what it was sent
      for (const [name, value = ''] of Object.entries(request.headers)) {
        if (name.startsWith('x-') || name === 'authorization')
          response.setHeader(`echo-${name}`, value)
      }
      response
        .setHeader('location', request.url ?? '')
        .setHeader('x-a', 'named alike')
        .end('ok')
    })
    const targets = [{ url: target.url }]
    const upstreams = Object.fromEntries(
      Object.entries(auths).map(([name, auth]) => [name, { targets, auth }]),
    )
    const read = '{{action.result.headers |> to_json}} {{action.result.uri}}'
    const operation = (upstream: string, response: object) => ({
      get: { action: { type: 'forward', upstream }, response },
    })
    const paths = Object.fromEntries(
      Object.keys(auths).flatMap((name) => [
        [`/${name}`, operation(name, {})],
        [`/${name}/read`, operation(name, { on_result: { body: read } })],
      ]),
    )
    const security = { any: [{ type: 'jwt', issuer: 'corp' }], optional: true }
    const document = {
      ...{ id: 'secret', host: '_', realm_uri, defaults: { security } },
      versions: { '1': { base_path: '/v1', paths } },
    }
    const lines: string[] = []
    const gateway = await startWith(
      {},
      { ...document, versions: {} },
      {
        ...{ 'telemetry.traces': 'otlp', 'telemetry.endpoint': receiver.url },
        'telemetry.sample': '1',
      },
      { log: openLog('trace', { write: (line: string) => void lines.push(line) }) },
    )
    const { url, adminUrl, dataDir, load } = gateway
    const told: string[] = []
    const ask = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const sent = { 'content-type': 'application/json', ...headers }
      const answer = await fetch(
        path.startsWith('/v1/') ? url + path : adminUrl + path,
        body === undefined
          ? { headers, redirect: 'manual' }
          : { method: 'POST', headers: sent, body: JSON.stringify(body) },
      )
      const text = await answer.text()
      told.push(`${JSON.stringify([...answer.headers])} ${text}`)
      return { status: answer.status, text, headers: answer.headers }
    }
    const corp = {
      ...{ issuer: server.url, jwks_uri: `${server.url}/jwks`, audience: ['gateway'] },
      allow_unsafe_http: true,
    }
    const realm = (more: object) => ({
      ...{ uri: realm_uri, authmethods: ['anonymous', 'jwt'] },
      info: { jwt_issuers: { corp }, upstreams: { ...upstreams, ...more } },
    })
    expect((await ask('/realms', realm({}))).status).to.equal(200)
    // a second version in which each secret is another one
    const next = JSON.parse(JSON.stringify(realm({})).replaceAll('-0123456789', '-9876543210'))
    expect((await ask('/realms', next)).status).to.equal(200)
    expect((await load(document)).status).to.be.within(200, 201)
    const made = await ask('/api_specs/secret/trace_tokens', { seconds: 600 })
    const { token: trace } = JSON.parse(made.text) as { token: string }
    told.pop()
    const authorization = `Bearer ${await server.tokenOf('ada')}`
    for (const name of Object.keys(paths)) {
      const { status } = await ask(`/v1${name}`, undefined, {
        authorization,
        'x-gateway-trace': trace,
      })
      expect([name, status]).to.deep.equal([name, 200])
      const explained = await ask('/explain', {
        request: { path: `/v1${name}`, headers: { authorization } },
      })
      const auth = auths[name.split('/')[1] ?? ''] as { readonly type: string }
      expect(explained.text).to.include(`"auth":"${auth.type}"`)
    }
    const { text: traces } = await ask('/api_specs/secret/traces')
    for (const [, id] of traces.matchAll(/"id":"([^"]+)"/g)) await ask(`/traces/${id}`)
    await ask('/realms')
    await ask(`/realms/${realm_uri}`)
    const { text: versions } = await ask(`/realms/${realm_uri}/versions`)
    const hashes = [...versions.matchAll(/"hash":"([0-9a-f]+)"/g)].map(([, hash]) => hash)
    expect([
      hashes.length >= 3,
      told.some((text) => text.includes('"attempts"') || text.includes('"us"')),
    ]).to.deep.equal([true, true])
    for (const hash of hashes) await ask(`/realms/${realm_uri}/versions/${hash}`)
    await ask(`/realms/${realm_uri}/versions/${hashes.at(-1)}/diff/${hashes[0]}`)
    for (const path of [
      '/metrics',
      '/registry',
      '/ready',
      `/realms/${realm_uri}/upstreams`,
      '/api_specs/secret',
    ])
      await ask(path)
    // a refused theft tells none either
    const stolen = {
      'header-a': {
        targets: [{ url: 'https://evil.example' }],
        auth: { type: 'header', name: 'x-a' },
      },
    }
    const refused = await ask('/realms', { ...next, info: { ...next.info, upstreams: stolen } })
    expect([refused.status, refused.text.includes('https://evil.example')]).to.deep.equal([
      400,
      true,
    ])
    while (receiver.spans.length < 20) await pause(50)
    const database = readdirSync(dataDir)
      .map((name) => readFileSync(join(dataDir, name), { encoding: 'latin1' }))
      .join('\n')
    const everything = {
      told: told.join('\n'),
      log: lines.join('\n'),
      database,
      spans: receiver.requests.map(({ text }) => text).join('\n'),
    }
    const inPem = pem.split('\n')[1] ?? ''
    const secrets = [
      ...Object.keys(auths)
        .filter((name) => name !== 'client-key')
        .map((name) => `marked-${name}-`),
      ...['a', 'b', 'c'].map((name) =>
        Buffer.from(`gw:marked-basic-${name}-9876543210`).toString('base64'),
      ),
      ...[inPem, 'client-token-', 'ada-token-'],
    ]
    expect(secrets.length).to.be.at.least(24)
    for (const secret of secrets) {
      for (const [place, text] of Object.entries(everything)) {
        expect([place, secret, text.includes(secret)]).to.deep.equal([place, secret, false])
      }
    }
    // they were sent: each secret that is sent itself, and both tokens
    const sent = arrived.join('\n')
    const ofTargets = [
      ...Object.keys(fixed)
        .filter((name) => !name.startsWith('basic'))
        .map((name) => `marked-${name}-9876543210`),
      'client-token-',
      'ada-token-',
    ]
    for (const secret of ofTargets)
      expect([secret, sent.includes(secret)]).to.deep.equal([secret, true])
    expect(everything.database.length).to.be.greaterThan(10_000)
    expect(everything.log).to.include('/v1/header-a')
    expect(told.some((text) => text.includes('checks'))).to.equal(true)
  })
})
