/** Security of any type, however it is written: closed to everybody without credentials but OPTIONS. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { readSpec } from './document.ts'

const oauth2 = { type: 'oauth2', flow: 'client_credentials' }
const objects = {
  basic: { type: 'basic' },
  api_key: { type: 'api_key', header_name: 'x-key' },
  oauth2,
  oidc: { type: 'oidc', provider: 'mock' },
} as const

type Json = Readonly<Record<string, unknown>>

/** Where a document may demand security, literally or through expressions that fold. */
const places: Readonly<Record<string, (security: Json) => Json>> = {
  'API defaults': (security) => ({ defaults: { security } }),
  'API defaults, by a variable': (security) => ({
    variables: { scheme: security },
    defaults: { security: '{{variables.scheme}}' },
  }),
  'API variables.security': (security) => ({ variables: { security } }),
  'a type by a variable': ({ type, ...rest }) => ({
    variables: { kind: type },
    defaults: { security: { ...rest, type: '{{variables.kind}}' } },
  }),
  'a map by put': ({ type, ...rest }) => ({
    variables: { rest },
    defaults: { security: `{{variables.rest |> put(type, ${String(type)})}}` },
  }),
  'a chain of variables': (security) => ({
    variables: { a: '{{variables.b}}', b: '{{variables.c}}', c: security },
    defaults: { security: '{{variables.a}}' },
  }),
}
const levels: Readonly<Record<string, (security: Json) => Json>> = {
  'version defaults': (security) => ({ version: { defaults: { security } } }),
  'path defaults': (security) => ({ path: { defaults: { security } } }),
  'the path': (security) => ({ path: { security } }),
  'the path, by a variable': (security) => ({
    path: { variables: { s: security }, security: '{{variables.s}}' },
  }),
  'path defaults, by a variable of the path': (security) => ({
    path: { variables: { d: { security } }, defaults: '{{variables.d}}' },
  }),
}
const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const

/** A document with one path that serves every method with a static answer. */
function documentOf({ version, path, ...root }: Json): Json {
  const operation = { action: { type: 'static', body: 'open' }, response: {} }
  return {
    id: 'com.example.secured',
    host: '_',
    realm_uri: 'com.example.test',
    ...root,
    versions: {
      one: {
        base_path: '/secured',
        ...(version as Json),
        paths: {
          '/thing': {
            ...(path as Json),
            ...Object.fromEntries(methods.map((method) => [method, operation])),
          },
        },
      },
    },
  }
}

describe('security that a document demands', () => {
  let gateway: TestGateway
  before(async () => {
    // all guesses come from here: they are to be judged, not counted
    gateway = await startGateway({
      'rate_limits.user_failures': '100000',
      'rate_limits.address_failures': '100000',
    })
  })
  after(() => gateway.stop())

  for (const [type, object] of Object.entries(objects)) {
    for (const [place, make] of Object.entries({ ...places, ...levels })) {
      it(`is never open: ${type} in ${place}`, async () => {
        const { body, status } = await gateway.load(documentOf(make(object)))
        expect(status, JSON.stringify(body)).to.be.oneOf([200, 201])
        for (const method of methods) {
          for (const authorization of ['', 'Basic dTpw', 'Bearer token']) {
            const answer = await send(gateway.url, '/secured/thing', {
              method: method.toUpperCase(),
              headers: authorization === '' ? {} : { authorization },
            })
            expect(answer.status, method).to.equal(401)
            expect(answer.headers, method).to.have.property('www-authenticate')
            expect(answer.text).to.not.include('open')
          }
        }
        const options = await send(gateway.url, '/secured/thing', { method: 'OPTIONS' })
        expect(options.status).to.equal(204)
        expect(options.headers.allow).to.include('DELETE')
      })
    }
  }

  it('is lifted by an empty object on the path', async () => {
    const { status } = await gateway.load(
      documentOf({ defaults: { security: oauth2 }, path: { security: {} } }),
    )
    expect(status).to.be.oneOf([200, 201])
    const answer = await send(gateway.url, '/secured/thing')
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.equal('open')
  })

  for (const security of ['{{request.headers.x}}', '{{request.query_params}}', null, [], 'basic']) {
    it(`cannot be ${JSON.stringify(security)}: the document is refused`, async () => {
      const { status, body } = await gateway.load(documentOf({ defaults: { security } }))
      expect(status).to.equal(400)
      expect(body.details?.map(({ path }) => path)).to.deep.equal(['/defaults/security'])
    })
  }
})

describe('a path of https only, behind a trusted proxy', () => {
  let gateway: TestGateway
  const spec = readSpec('static_ping_oidc', 'localhost')
  before(async () => {
    gateway = await startGateway({ 'gateway.trusted_proxies': '["127.0.0.1/32"]' })
    const { status } = await gateway.load(spec.document)
    expect(status).to.equal(201)
  })
  after(() => gateway.stop())

  const ask = (proto: string) =>
    send(gateway.url, '/api/ping', {
      headers: { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': proto },
    })

  it('is 403 when the client spoke http', async () => {
    expect((await ask('http')).status).to.equal(403)
  })

  it('is 401 when the client spoke https: its security holds', async () => {
    const answer = await ask('https')
    expect(answer.status).to.equal(401)
    expect(answer.headers).to.have.property('www-authenticate')
  })
})
