/** Tokens for upstreams: what an authorization server is asked for, and which answers are tokens. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { CheckedFetch } from '#component/action/checked-fetch.ts'
import { systemClock } from '#component/clock.ts'
import { readClientKey } from '#component/oidc/client/client-key.ts'
import { Discovery } from '#component/oidc/client/discovery.ts'
import { type TokenEndpoint, TokenGrants } from '#component/oidc/client/token-grant.ts'
import { OidcError } from '#component/oidc-error.ts'

const client_secret = 'a secret: with & signs'
const good = { access_token: 'the-token', token_type: 'Bearer', expires_in: 300 }

/** A server that answers as told, and what it was asked. */
const server = {
  status: 200,
  headers: { 'content-type': 'application/json' } as Record<string, string>,
  body: good as unknown,
  asked: [] as { path: string; authorization: string | undefined; form: URLSearchParams }[],
}

let http: Server
let origin = ''
let fetching: CheckedFetch
let grants: TokenGrants

const endpoint = (more: Partial<TokenEndpoint> = {}): TokenEndpoint => ({
  name: 'billing',
  token_url: `${origin}/token`,
  client_id: 'gw',
  ...more,
})

/** What the last request had in its form. */
const sent = () => [...(server.asked.at(-1)?.form ?? [])]

async function failure(attempt: Promise<unknown>): Promise<OidcError> {
  try {
    await attempt
  } catch (error) {
    if (error instanceof OidcError) return error
    throw error
  }
  throw new Error('a token was given')
}

before(async () => {
  http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url: path = '', headers } = request
    if (path.includes('/.well-known/')) {
      const metadata = { issuer: `${origin}/realm`, token_endpoint: `${origin}/found` }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
      return
    }
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    server.asked.push({ path, authorization: headers.authorization, form })
    const { body } = server
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(server.status, server.headers).end(text)
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  fetching = new CheckedFetch({ clock: systemClock })
  const fetch = fetching.fetch.bind(fetching)
  const ports = { fetch, clock: systemClock }
  const log = { warn: () => undefined }
  grants = new TokenGrants({ ...ports, discovery: new Discovery({ ...ports, log }) })
})

after(async () => {
  await fetching.close()
  http.close()
})

beforeEach(() => {
  Object.assign(server, { status: 200, body: good, asked: [] })
  server.headers = { 'content-type': 'application/json' }
})

describe('a token for the gateway itself', () => {
  it('is asked for with what the settings name, and nothing else', async () => {
    const parameters = {
      scope: 'a b',
      audience: ['x', 'y'],
      resource: 'https://r.example',
      none: undefined,
    }
    const found = await grants.forClient(endpoint(), { secret: client_secret }, parameters)
    expect(found).to.deep.equal({ text: 'the-token', lifetime: 300 })
    expect(sent()).to.deep.equal([
      ['scope', 'a b'],
      ['audience', 'x'],
      ['audience', 'y'],
      ['resource', 'https://r.example'],
      ['grant_type', 'client_credentials'],
    ])
    // RFC 6749 §2.3.1: both halves are form-encoded
    const encoded = Buffer.from('gw:a+secret%3A+with+%26+signs').toString('base64')
    expect(server.asked[0]?.authorization).to.equal(`Basic ${encoded}`)
  })

  it('is asked for with the secret in the form', async () => {
    await grants.forClient(
      endpoint({ client_authentication: 'post' }),
      { secret: client_secret },
      {},
    )
    expect(server.asked[0]?.authorization).to.equal(undefined)
    expect(Object.fromEntries(sent())).to.include({ client_id: 'gw', client_secret })
  })

  it('is asked for with a signature', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const key = await readClientKey(pem)
    await grants.forClient(endpoint(), { key }, {})
    const { client_assertion = '', client_assertion_type } = Object.fromEntries(sent())
    expect(client_assertion_type).to.equal('urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    expect(decodeProtectedHeader(client_assertion)).to.include({ alg: 'ES256', kid: key.kid })
    expect(decodeJwt(client_assertion)).to.include({
      iss: 'gw',
      sub: 'gw',
      aud: `${origin}/token`,
    })
  })

  it('is asked for at the endpoint that the metadata of the issuer name', async () => {
    const { token_url: _, ...rest } = endpoint()
    await grants.forClient({ ...rest, issuer: `${origin}/realm` }, { secret: client_secret }, {})
    expect(server.asked.map(({ path }) => path)).to.deep.equal(['/found'])
  })

  const lifetimes: readonly (readonly [unknown, number | undefined])[] = [
    [300, 300],
    ['300', 300],
    [0.5, 0.5],
    [0, 0],
    [null, undefined],
    [undefined, undefined],
  ]
  for (const [expires_in, lifetime] of lifetimes) {
    it(`may have the lifetime ${JSON.stringify(expires_in)}`, async () => {
      server.body = { ...good, expires_in }
      const found = await grants.forClient(endpoint(), { secret: client_secret }, {})
      expect(found.lifetime).to.equal(lifetime)
    })
  }

  it('may come with members that nobody reads, whatever they are', async () => {
    server.body = { ...good, id_token: 'no.jwt.at-all', refresh_token: 7, scope: ['a'], extra: {} }
    const found = await grants.forClient(endpoint(), { secret: client_secret }, {})
    expect(found.text).to.equal('the-token')
  })

  const malformed: readonly (readonly [string, Partial<typeof server>])[] = [
    ['an empty token', { body: { ...good, access_token: '' } }],
    ['a token with a blank', { body: { ...good, access_token: 'a b' } }],
    ['a token with a line break', { body: { ...good, access_token: 'a\r\nx-evil: 1' } }],
    ['a token beyond ASCII', { body: { ...good, access_token: 'tökén' } }],
    ['a token of 16,385 characters', { body: { ...good, access_token: 'a'.repeat(16_385) } }],
    ['no token', { body: { token_type: 'Bearer' } }],
    ['a token that is a map', { body: { ...good, access_token: {} } }],
    ['no type', { body: { access_token: 'the-token' } }],
    ['a type that is no Bearer', { body: { ...good, token_type: 'mac' } }],
    ['a type that binds it to a key', { body: { ...good, token_type: 'DPoP' } }],
    ['a lifetime that is no number', { body: { ...good, expires_in: 'soon' } }],
    ['a lifetime below zero', { body: { ...good, expires_in: -1 } }],
    ['nothing', { body: '' }],
    ['a list', { body: [good] }],
    ['a page', { body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['a token and the status 201', { status: 201 }],
    ['a token and the status 500', { status: 500 }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['more than a megabyte', { body: { ...good, filler: 'a'.repeat(1_000_001) } }],
  ]
  for (const [title, answer] of malformed) {
    it(`is not there in an answer with ${title}`, async () => {
      Object.assign(server, answer)
      const error = await failure(grants.forClient(endpoint(), { secret: client_secret }, {}))
      expect(error.code).to.equal('provider_unavailable')
      expect(error.answer.provider_url).to.equal(`${origin}/token`)
      expect(server.asked.length).to.equal(1)
      expect(JSON.stringify([error.message, error.answer])).to.not.match(/the-token|tökén|secret:/)
    })
  }

  it('is not there where the address is one of the metadata of a cloud', async () => {
    const token_url = 'http://169.254.169.254/token'
    const error = await failure(
      grants.forClient(endpoint({ token_url }), { secret: client_secret }, {}),
    )
    expect(error.message).to.include('link-local and cloud-metadata addresses')
  })
})

describe('a token for that of a user', () => {
  it('is asked for with the token of the user and its type (RFC 8693 §2.1)', async () => {
    server.body = { ...good, token_type: 'N_A', issued_token_type: 'urn:x' }
    const parameters = { subject_token: 'of-ada', subject_token_type: 'urn:t', audience: 'orders' }
    const found = await grants.forSubject(endpoint(), { secret: client_secret }, parameters)
    expect(found.text).to.equal('the-token')
    expect(Object.fromEntries(sent())).to.deep.equal({
      ...parameters,
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    })
  })

  for (const error of ['invalid_request', 'invalid_grant', 'access_denied', 'invalid_target']) {
    it(`is refused with the code of the server: ${error}`, async () => {
      Object.assign(server, { status: 400, body: { error, error_description: 'why' } })
      const found = await failure(
        grants.forSubject(endpoint(), { secret: client_secret }, { subject_token: 'of-ada' }),
      )
      expect(found.answer).to.include({ provider_code: error, provider_status: 400 })
      expect(JSON.stringify([found.message, found.answer])).to.not.include('of-ada')
    })
  }
})
