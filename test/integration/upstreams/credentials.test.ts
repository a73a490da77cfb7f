/** What an upstream with `auth` gets of a request, and what the client gets of its answer. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import { startTokenServer, type TokenServer } from './token-server.ts'
import {
  closeAll,
  documentOf,
  type Handler,
  realm_uri,
  startTarget,
  startWith,
} from './upstreams.ts'

const secret = 'sssh-0123456789'

/** A target that keeps the heads of its requests, and answers with what it is told to. */
async function recorder(answer: Handler = (_request, response) => response.end('ok')) {
  const heads: { url: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = []
  const target = await startTarget(async (request, response) => {
    const body = (await request.toArray()).join('')
    heads.push({ url: request.url ?? '', headers: request.headers, body })
    await answer(request, response)
  })
  return { ...target, heads, targets: [{ url: target.url }] }
}

/** A target that takes WebSockets, and keeps the heads of their handshakes. */
async function startSockets() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const heads: NodeJS.Dict<string | string[]>[] = []
  server.on('connection', (_socket, { headers }) => heads.push(headers))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, heads }
}

describe('an upstream with a secret', () => {
  afterEach(closeAll)

  it('gets it in its field, in place of what the client and the document send under its name', async () => {
    const { heads, targets } = await recorder()
    const auth = { type: 'header', name: 'X-Api-Key', prefix: 'Key ', secret }
    const { url, load } = await startWith({ it: { targets, auth } })
    const headers = {
      'x-api-key': 'of the client',
      authorization: 'Bearer of-the-client',
      'x-other': 'a',
    }
    await fetch(`${url}/v1/it`, { headers })
    await load(
      documentOf({
        headers: {
          'X-API-KEY': 'of the document',
          authorization: '{{request.headers.authorization}}',
        },
      }),
    )
    await fetch(`${url}/v1/it`, { headers })
    const sent = heads.map(({ headers: { 'x-api-key': key, authorization, 'x-other': other } }) => [
      key,
      authorization,
      other,
    ])
    expect(sent).to.deep.equal([
      [`Key ${secret}`, undefined, 'a'],
      [`Key ${secret}`, 'Bearer of-the-client', undefined],
    ])
  })

  it('gets it in its parameter, the last one, in place of others of its name', async () => {
    const { heads, targets } = await recorder()
    const auth = { type: 'query', name: 'key', secret: 'a&b=c ü' }
    const { url, load } = await startWith({ it: { targets, auth } })
    for (const query of ['', '?', '?a=1', '?key=mine&a=1&Key=2&%6bey=3', '?key'])
      await fetch(`${url}/v1/it${query}`)
    await load(documentOf({ path: '/x', query_string: 'key=of-the-document&b=2' }))
    await fetch(`${url}/v1/it?c=3`)
    const sent = 'key=a%26b%3Dc%20%C3%BC'
    expect(heads.map((one) => one.url)).to.deep.equal([
      `/v1/it?${sent}`,
      `/v1/it?${sent}`,
      `/v1/it?a=1&${sent}`,
      `/v1/it?a=1&${sent}`,
      `/v1/it?${sent}`,
      `/x?b=2&${sent}`,
    ])
  })

  it('gets a name and a password', async () => {
    const { heads, targets } = await recorder()
    const auth = { type: 'basic', username: 'gw', password: 'p:ä' }
    const { url } = await startWith({ it: { targets, auth } })
    await fetch(`${url}/v1/it`, { headers: { authorization: 'Basic bWU6bWU=' } })
    const encoded = Buffer.from('gw:p:ä').toString('base64')
    expect(heads[0]?.headers.authorization).to.equal(`Basic ${encoded}`)
  })

  it('shows none of it in the fields of an answer, and to no expression', async () => {
    const { targets } = await recorder((_request, response) => {
      response.writeHead(200, {
        'x-api-key': 'any',
        'x-echo': `you sent ${secret}`,
        'set-cookie': [`a=${secret}`, 'b=2'],
        location: `/next?key=${secret}`,
        'x-other': 'stays',
      })
      response.end('ok')
    })
    const auth = { type: 'header', name: 'x-api-key', secret }
    const { url, load } = await startWith({ it: { targets, auth } })
    const { headers } = await fetch(`${url}/v1/it`)
    expect(
      ['x-api-key', 'x-echo', 'location', 'x-other'].map((name) => headers.get(name)),
    ).to.deep.equal([null, null, null, 'stays'])
    expect(headers.getSetCookie()).to.deep.equal(['b=2'])
    const body = { of: '{{action.result.headers}}', at: '{{action.result.uri}}' }
    const read = documentOf() as { versions: Record<string, { paths: Record<string, object> }> }
    const operation = {
      action: { type: 'forward', upstream: 'it' },
      response: { on_result: { body } },
    }
    Object.assign(read.versions['1']?.paths ?? {}, { '/it': { get: operation } })
    await load(read)
    expect(await (await fetch(`${url}/v1/it`)).text()).to.not.include(secret)
  })

  it('that does not take it is answered for by 502, without its challenge', async () => {
    const { heads, targets } = await recorder((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="inner"' }).end('who are you?')
    })
    const auth = { type: 'basic', username: 'gw', password: secret }
    const { url } = await startWith({ it: { targets, auth } })
    const answer = await fetch(`${url}/v1/it`)
    expect([answer.status, answer.headers.get('www-authenticate')]).to.deep.equal([502, null])
    expect(await answer.json()).to.include({ error_uri: 'service.error.upstream_unauthorized' })
    expect(heads.length).to.equal(1)
  })

  for (const status of [403, 404, 500]) {
    it(`passes its ${status} on`, async () => {
      const { targets } = await recorder((_request, response) => response.writeHead(status).end())
      const { url } = await startWith({
        it: { targets, auth: { type: 'header', name: 'x-key', secret } },
      })
      expect((await fetch(`${url}/v1/it`)).status).to.equal(status)
    })
  }

  it('whose secret cannot be read is answered for by 503, and gets nothing', async () => {
    const { heads, targets } = await recorder()
    const auth = { type: 'header', name: 'x-key', secret: { file: '/nowhere/at/all' } }
    const { url } = await startWith({ it: { targets, auth } })
    const answer = await fetch(`${url}/v1/it`)
    expect([answer.status, answer.headers.get('retry-after'), heads.length]).to.deep.equal([
      503,
      '1',
      0,
    ])
  })

  it('gets it with the handshake of a WebSocket, too', async () => {
    const { url: target, server: sockets, heads } = await startSockets()
    const { url } = await startWith(
      { it: { targets: [{ url: target }], auth: { type: 'header', name: 'x-key', secret } } },
      documentOf(
        {},
        {
          versions: {
            '1': {
              base_path: '/v1',
              paths: {
                '/it': {
                  get: {
                    action: { type: 'forward', upstream: 'it', websocket: true },
                    response: {},
                  },
                },
              },
            },
          },
        },
      ),
    )
    const socket = new WebSocket(`${url.replace('http:', 'ws:')}/v1/it`, {
      headers: { 'x-key': 'of the client', authorization: 'Bearer of-the-client' },
    })
    await once(socket, 'open')
    socket.close()
    await once(socket, 'close')
    sockets.close()
    expect(heads.map((head) => [head['x-key'], head.authorization])).to.deep.equal([
      [secret, undefined],
    ])
  })

  it('gets nothing of it by a forward that names its host', async () => {
    const { heads, targets, url: host } = await recorder()
    const { url } = await startWith(
      { it: { targets, auth: { type: 'header', name: 'x-key', secret } } },
      documentOf({ upstream: undefined, host }),
    )
    expect((await fetch(`${url}/v1/it`)).status).to.equal(200)
    expect(heads[0]?.headers).to.not.have.property('x-key')
  })
})

describe('an upstream with a token of the gateway', () => {
  let server: TokenServer
  beforeEach(async () => {
    server = await startTokenServer()
  })
  afterEach(async () => {
    await closeAll()
    server.stop()
  })

  const auth = () => ({
    ...{ type: 'client_credentials', token_url: `${server.url}/token` },
    ...{ client_id: 'gw', client_secret: secret, scope: 'a b' },
  })

  it('gets one token with a thousand requests', async () => {
    const { heads, targets } = await recorder()
    const { url } = await startWith({ it: { targets, auth: auth() } })
    const ask = async () => (await fetch(`${url}/v1/it`)).status
    for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 50 }, ask))
    const sent = new Set(heads.map(({ headers }) => headers.authorization))
    expect([heads.length, [...sent]]).to.deep.equal([1000, ['Bearer client-token-1']])
    expect(server.asked.map(({ form }) => form)).to.deep.equal([
      { grant_type: 'client_credentials', scope: 'a b' },
    ])
  })

  it('is asked for by no request of others, and not before the first one', async () => {
    const { targets } = await recorder()
    const { url } = await startWith({ it: { targets }, other: { targets, auth: auth() } })
    await fetch(`${url}/v1/it`)
    expect(server.asked).to.deep.equal([])
  })

  for (const [what, answer] of [
    ['no token', { status: 200, body: { token_type: 'Bearer' } }],
    ['an empty token', { status: 200, body: { access_token: '', token_type: 'Bearer' } }],
    ['a page', { status: 200, body: '<html>' }],
    ['an error', { status: 401, body: { error: 'invalid_client' } }],
    ['nothing useful', { status: 503, body: 'busy' }],
  ] as const) {
    it(`gets nothing where its server answers ${what}: 503, and again after the pause`, async () => {
      const { heads, targets } = await recorder()
      const { url } = await startWith({ it: { targets, auth: auth() } })
      server.answer = answer
      const answers = await Promise.all([1, 2, 3].map(() => fetch(`${url}/v1/it`)))
      expect(answers.map(({ status }) => status)).to.deep.equal([503, 503, 503])
      expect(answers.map(({ headers }) => headers.get('retry-after'))).to.deep.equal([
        '1',
        '1',
        '1',
      ])
      expect([heads.length, server.asked.length]).to.deep.equal([0, 1])
      expect(await answers[0]?.text()).to.not.include(secret)
    })
  }

  it('that refuses a token gets the request once more with a new one, whatever its method', async () => {
    const { heads, targets } = await recorder(({ headers }, response) => {
      response.writeHead(headers.authorization === 'Bearer client-token-1' ? 401 : 200).end('done')
    })
    const { url } = await startWith({ it: { targets, auth: auth() } })
    const answer = await fetch(`${url}/v1/it`, { method: 'POST', body: 'data' })
    expect([answer.status, await answer.text()]).to.deep.equal([200, 'done'])
    expect(heads.map(({ headers, body }) => [headers.authorization, body])).to.deep.equal([
      ['Bearer client-token-1', 'data'],
      ['Bearer client-token-2', 'data'],
    ])
  })

  it('that refuses every token is answered for by 502, and has no more than one fetched', async () => {
    const { heads, targets } = await recorder((_request, response) =>
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
    )
    const { url } = await startWith({ it: { targets, auth: auth() } })
    for (let count = 0; count < 5; count += 1) {
      const answer = await fetch(`${url}/v1/it`)
      expect([answer.status, answer.headers.get('www-authenticate')]).to.deep.equal([502, null])
    }
    expect([heads.length, server.asked.length]).to.deep.equal([6, 2])
  })

  it('that refuses a request whose body is gone is answered for by 502', async () => {
    const { heads, targets } = await recorder((_request, response) => response.writeHead(401).end())
    const { url } = await startWith({ it: { targets, auth: auth() } })
    const answer = await fetch(`${url}/v1/it`, { method: 'POST', body: 'x'.repeat(200_000) })
    expect([answer.status, heads.length]).to.deep.equal([502, 1])
  })

  it('keeps its token over a load of the realm that changes other things', async () => {
    const { heads, targets } = await recorder()
    const { url, setUpstreams } = await startWith({ it: { targets, auth: auth() } })
    await fetch(`${url}/v1/it`)
    await setUpstreams({ it: { targets, balance: 'hash', auth: auth() }, other: { targets } })
    await fetch(`${url}/v1/it`)
    await setUpstreams({ it: { targets, auth: { ...auth(), scope: 'c' } } })
    await fetch(`${url}/v1/it`)
    expect(heads.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer client-token-1',
      'Bearer client-token-1',
      'Bearer client-token-2',
    ])
  })

  it('is counted, and its end is told', async () => {
    const { targets } = await recorder()
    const { url, adminUrl } = await startWith({ it: { targets, auth: auth() } })
    await fetch(`${url}/v1/it`)
    const text = await (await fetch(`${adminUrl}/metrics`)).text()
    expect(text).to.include(
      `gateway_upstream_token_fetches_total{realm="${realm_uri}",upstream="it",result="ok"} 1`,
    )
    const [, end = ''] = /gateway_upstream_token_expiry_seconds\{[^}]*\} (\S+)/.exec(text) ?? []
    expect(Number(end) - Date.now() / 1000).to.be.within(200, 300)
    expect(text).to.not.match(/client-token|sssh/)
  })
})

describe('an upstream with a token of each user', () => {
  let server: TokenServer
  beforeEach(async () => {
    server = await startTokenServer()
  })
  afterEach(async () => {
    await closeAll()
    server.stop()
  })

  async function exchanging(
    security: object = { type: 'jwt', issuer: 'corp' },
    handler?: Handler,
    defaults: object = {},
  ) {
    const { heads, targets } = await recorder(handler)
    const auth = {
      ...{ type: 'token_exchange', token_url: `${server.url}/token`, client_id: 'gw' },
      ...{ client_secret: secret, audience: 'billing' },
    }
    const gateway = await startWith({}, documentOf({}, { defaults: { security, ...defaults } }))
    const corp = {
      issuer: server.url,
      jwks_uri: `${server.url}/jwks`,
      audience: ['gateway'],
      allow_unsafe_http: true,
    }
    const info = { upstreams: { it: { targets, auth } }, jwt_issuers: { corp } }
    const loaded = await fetch(`${gateway.adminUrl}/services/load_realm`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: realm_uri, authmethods: ['anonymous', 'jwt'], info }),
    })
    expect(loaded.status).to.equal(200)
    const ask = async (sub?: string) => {
      const headers =
        sub === undefined ? {} : { authorization: `Bearer ${await server.tokenOf(sub)}` }
      return fetch(`${gateway.url}/v1/it`, { headers })
    }
    const askWith = (token: string) =>
      fetch(`${gateway.url}/v1/it`, { headers: { authorization: `Bearer ${token}` } })
    return { ...gateway, heads, ask, askWith }
  }

  it('gets that of the user who asks, exchanged once', async () => {
    const { heads, askWith } = await exchanging()
    const tokens = await Promise.all(['ada', 'bob', 'eve'].map((sub) => server.tokenOf(sub)))
    for (let round = 0; round < 10; round += 1) {
      expect((await Promise.all(tokens.map(askWith))).map(({ status }) => status)).to.deep.equal([
        200, 200, 200,
      ])
    }
    expect(server.asked.length).to.equal(3)
    const names = new Set(
      heads.map(({ headers }) => String(headers.authorization).replace(/\d+$/, '')),
    )
    expect([...names].sort()).to.deep.equal(
      ['ada', 'bob', 'eve'].map((sub) => `Bearer ${sub}-token-`),
    )
    expect(server.asked[0]?.form).to.include({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'billing',
    })
  })

  it('gets nothing of who has no token: 403', async () => {
    const { heads, ask } = await exchanging({})
    for (const answer of [await ask(), await ask('ada')]) {
      expect(answer.status).to.equal(403)
      expect(await answer.json()).to.include({ code: 'wamp.error.not_authorized' })
    }
    expect([heads.length, server.asked.length]).to.deep.equal([0, 0])
  })

  for (const [error, status, challenge] of [
    ['invalid_request', 401, 'Bearer'],
    ['invalid_grant', 401, 'Bearer'],
    ['invalid_token', 401, 'Bearer'],
    ['access_denied', 403, undefined],
    ['invalid_target', 403, undefined],
    ['invalid_scope', 403, undefined],
    ['invalid_client', 503, undefined],
    ['unauthorized_client', 503, undefined],
    ['temporarily_unavailable', 503, undefined],
  ] as const) {
    it(`gets nothing where its server answers ${error}: ${status}, kept for a while`, async () => {
      const { heads, askWith } = await exchanging()
      server.answer = { status: 400, body: { error, error_description: 'no' } }
      const token = await server.tokenOf('ada')
      const answers = [await askWith(token), await askWith(token)]
      expect(answers.map((one) => one.status)).to.deep.equal([status, status])
      expect(answers[0]?.headers.get('www-authenticate')?.split(' ')[0]).to.equal(challenge)
      expect([heads.length, server.asked.length]).to.deep.equal([0, 1])
    })
  }

  it('tells in its metrics and log what is wrong with the gateway, and only counts what is wrong with a user', async () => {
    const { adminUrl, ask } = await exchanging()
    const count = async (result: string) => {
      const text = await (await fetch(`${adminUrl}/metrics`)).text()
      const line = `gateway_upstream_token_fetches_total{realm="${realm_uri}",upstream="it",result="${result}"} `
      return Number(text.split(line)[1]?.split('\n', 1)[0])
    }
    await ask('ada')
    server.answer = { status: 400, body: { error: 'access_denied' } }
    await ask('bob')
    server.answer = { status: 401, body: { error: 'invalid_client' } }
    await ask('eve')
    expect(await Promise.all(['ok', 'refused', 'failed'].map(count))).to.deep.equal([1, 1, 1])
  })

  it('that refuses the token of a user gets another one of the same user', async () => {
    const { heads, ask } = await exchanging(undefined, ({ headers }, response) => {
      response.writeHead(headers.authorization === 'Bearer ada-token-1' ? 401 : 200).end()
    })
    expect((await ask('ada')).status).to.equal(200)
    expect(heads.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer ada-token-1',
      'Bearer ada-token-2',
    ])
  })

  for (const [per, hits, other] of [
    ['all', 2, 'miss'],
    ['user', 1, 'hit'],
  ] as const) {
    it(`is answered to each user alone where answers are kept per ${per}`, async () => {
      const cache = { ttl: 60_000, per }
      const { heads, askWith } = await exchanging(
        undefined,
        (_request, response) => response.setHeader('cache-control', 'public').end('ok'),
        { cache },
      )
      const token = await server.tokenOf('ada')
      const answers = [await askWith(token), await askWith(token)]
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
      expect(answers[1]?.headers.get('cache-status')).to.include(
        other === 'hit' ? 'hit' : 'fwd=miss',
      )
      expect(heads.length).to.equal(hits)
    })
  }
})
