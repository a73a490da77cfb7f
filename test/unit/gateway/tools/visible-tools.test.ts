/** Who may see and call which tools: the list and the calls are judged by the security of the operations. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { GatewayPorts } from '#component/gateway/ports.ts'
import { identityOf } from '#component/identity.ts'
import { because } from '#component/login-refusal.ts'
import { forEachType } from '#component/security/kinds.ts'
import {
  type Protection,
  type SecuredRequest,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'
import { fixed, serve } from '#test/unit/gateway/fake-exchange.ts'
import { askOf, callOf, failureIn, olderAsk, send, tool, toolsOf } from './fixture.ts'

const user = { username: 'u', groups: [], meta: {} }
const known = identityOf({ realm_uri: 'r', user, authroles: [], authmethod: 'm' })

/** Lets a request pass whose Authorization names the type and, if it has one, the flow of its path. */
function schemes(): { all: GatewayPorts['schemes']; asked: SecuredRequest[] } {
  const asked: SecuredRequest[] = []
  const scheme: SecurityScheme = {
    async authenticate(request, { type, object, ...rest }: Protection) {
      asked.push(request)
      const names = request.header('authorization')?.split(' ') ?? []
      const protection = { type, object, ...rest }
      if (names.includes('busy')) throw new ServiceError('service.error.unavailable', 'busy')
      if (names.includes('limited')) {
        const reason = { ...because({ authmethod: type, reason: 'too many failed logins' }) }
        throw new ServiceError('service.error.too_many_requests', 'too many', reason)
      }
      if (names.includes(`csrf-${type}`)) {
        const cause = because({ authmethod: type, reason: 'the X-CSRF-Token is missing' })
        throw new ServiceError('wamp.error.not_authorized', 'a token is missing', cause)
      }
      if (names.includes(`wrong-${type}`)) throw unauthorized(protection, 'the token is expired')
      if (names.includes(String(object.flow ?? type))) return known
      throw unauthorized(protection)
    },
  }
  return { all: forEachType(() => scheme), asked }
}

const password = { type: 'oauth2', flow: 'resource_owner_password_credentials' }
const machine = { type: 'oauth2', flow: 'client_credentials' }

const mixed = toolsOf({
  '/open': { get: tool('open', {}, fixed()) },
  '/key': { security: { type: 'api_key' }, get: tool('key', {}, fixed()) },
  '/key2': { security: { type: 'api_key' }, timeout: 5, post: tool('key_too', {}, fixed()) },
  '/token': { security: password, get: tool('token', {}, fixed()) },
  '/near': { allow_from: ['10.0.0.0/8'], get: tool('near', {}, fixed()) },
  '/https': { schemes: ['https'], get: tool('encrypted', {}, fixed()) },
})
const all = ['open', 'key', 'key_too', 'token', 'near', 'encrypted']

const closed = toolsOf({
  '/key': { security: { type: 'api_key' }, get: tool('key', {}, fixed()) },
  '/token': { security: machine, get: tool('token', {}, fixed()) },
})

const open = (document: object) => {
  const { all: table, asked } = schemes()
  return { served: serve(document, undefined, undefined, table), asked }
}

const listOf = async (
  served: ReturnType<typeof serve>,
  ask: object = {},
  authorization?: string,
) => {
  const { json } = await send(served, {
    ...askOf({ method: 'tools/list' }, authorization ? { authorization } : {}),
    ...ask,
  })
  return json.result?.tools?.map(({ name }) => name)
}

describe('The list of tools', () => {
  for (const [authorization, visible] of [
    [undefined, ['open']],
    ['api_key', ['open', 'key', 'key_too']],
    ['resource_owner_password_credentials', ['open', 'token']],
    ['api_key resource_owner_password_credentials', ['open', 'key', 'key_too', 'token']],
    ['api_key wrong-oauth2', ['open', 'key', 'key_too']],
  ] as const) {
    it(`shows what can be called, and nothing else: ${authorization ?? 'no credentials'}`, async () => {
      const { served } = open(mixed)
      const list = await listOf(served, {}, authorization)
      expect(list).to.deep.equal(visible)
      for (const name of all) {
        const ask = askOf(callOf(name), authorization ? { authorization } : {})
        const { json } = await send(served, ask)
        expect(json.result !== undefined, name).to.equal(
          (visible as readonly string[]).includes(name),
        )
      }
    })
  }

  it('shows tools of a network to its clients, and of https over https', async () => {
    const { served } = open(mixed)
    expect(await listOf(served, { peer: '10.1.2.3' })).to.deep.equal(['open', 'near'])
    expect(await listOf(served, { scheme: 'https' })).to.deep.equal(['open', 'encrypted'])
  })

  it('asks once for each distinct protection', async () => {
    const { served, asked } = open(mixed)
    await listOf(served)
    expect(asked).to.have.length(2)
  })

  it('may be kept by its client alone where anything is secured', async () => {
    const { json } = await send(open(mixed).served, askOf({ method: 'tools/list' }))
    expect(json.result?.cacheScope).to.equal('private')
  })

  it('fails where a security cannot judge now, so that no client keeps half of it', async () => {
    const ask = askOf({ method: 'tools/list' }, { authorization: 'busy' })
    expect((await send(open(mixed).served, ask)).status).to.equal(503)
  })

  it('is 429 for clients whose tries are limited', async () => {
    const ask = askOf({ method: 'tools/list' }, { authorization: 'limited' })
    expect((await send(open(mixed).served, ask)).status).to.equal(429)
  })

  it('asks a service about each of its tools, by its method and the pattern of its path', async () => {
    const security = { type: 'forward_auth', url: 'https://auth.example.com/' }
    const { served, asked } = open(
      toolsOf({
        '/a/:id': { security, get: tool('a', {}, fixed()) },
        '/b': { security, put: tool('b', {}, fixed()) },
      }),
    )
    await listOf(served)
    const lines = asked.map(({ method, path }) => `${method} ${path}`)
    expect(lines).to.have.members(['get /v1/a/:id', 'put /v1/b'])
    asked.length = 0
    await send(served, askOf(callOf('a', { id: 'x y' }), { authorization: 'forward_auth' }))
    expect(asked.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(['get /v1/a/x%20y'])
  })
})

describe('A call of a tool that the client may not see', () => {
  it('is answered like one of an unknown tool', async () => {
    for (const authorization of [undefined, 'api_key', 'wrong-oauth2', 'csrf-api_key']) {
      for (const document of [mixed, closed]) {
        const { served } = open(document)
        const answers = await Promise.all(
          ['token', 'none'].map(async (name) => {
            const ask = askOf(callOf(name), authorization ? { authorization } : {})
            const { status, json, headers } = await send(served, ask)
            return { status, json, headers, pattern: undefined }
          }),
        )
        expect(answers[0]).to.deep.equal(answers[1])
      }
    }
  })

  it('is -32602 for a client that is somebody', async () => {
    const ask = askOf(callOf('token'), { authorization: 'api_key' })
    const { status, json } = await send(open(mixed).served, ask)
    expect([status, json.error?.code]).to.deep.equal([200, -32602])
  })

  it('is 401 for a client that is nobody', async () => {
    const { status, headers } = await send(open(mixed).served, askOf(callOf('token')))
    expect([status, headers['www-authenticate']]).to.deep.equal([
      401,
      'ApiKey realm="com.example.realm"',
    ])
  })

  it('is -32602 where nothing is secured, and the client is of another network', async () => {
    const near = toolsOf({
      '/near': { allow_from: ['10.0.0.0/8'], get: tool('near', {}, fixed()) },
    })
    const { status, json } = await send(open(near).served, askOf(callOf('near')))
    expect([status, json.error?.code]).to.deep.equal([200, -32602])
  })

  it('shows no mistake in its arguments', async () => {
    const ask = askOf(callOf('token', { none: 1 }), { authorization: 'api_key' })
    expect((await send(open(mixed).served, ask)).json.error?.code).to.equal(-32602)
    const visible = askOf(callOf('key', { none: 1 }), { authorization: 'api_key' })
    expect(failureIn(await send(open(mixed).served, visible)).code).to.equal(
      'service.error.validation_failed',
    )
  })

  it('is 429 where the tries are limited', async () => {
    const ask = askOf(callOf('token'), { authorization: 'limited' })
    expect((await send(open(mixed).served, ask)).status).to.equal(429)
  })

  it('asks each security once', async () => {
    const { served, asked } = open(mixed)
    await send(served, askOf(callOf('token')))
    expect(asked).to.have.length(2)
  })
})

describe('A client whose credentials do not hold', () => {
  for (const method of ['server/discover', 'tools/list']) {
    it(`is 401 at ${method}, where every tool is secured`, async () => {
      for (const authorization of [undefined, 'wrong-oauth2']) {
        const ask = askOf({ method }, authorization ? { authorization } : {})
        expect((await send(open(closed).served, ask)).status).to.equal(401)
      }
      const ask = askOf({ method }, { authorization: 'api_key' })
      expect((await send(open(closed).served, ask)).status).to.equal(200)
    })
  }

  it('is 401 at initialize, where every tool is secured', async () => {
    const ask = olderAsk({ method: 'initialize' })
    expect((await send(open(closed).served, ask)).status).to.equal(401)
  })

  it('is 401 at tools/list where some are open: a token expired', async () => {
    const ask = askOf({ method: 'tools/list' }, { authorization: 'wrong-oauth2' })
    const { status, headers, failure } = await send(open(mixed).served, ask)
    expect(status).to.equal(401)
    expect(headers['www-authenticate']).to.include('error="invalid_token"')
    expect(failure?.login?.reason).to.equal('the token is expired')
  })

  it('is 403 as for any POST: a cookie without CSRF header', async () => {
    const oidc = toolsOf({ '/x': { security: { type: 'oidc' }, get: tool('x', {}, fixed()) } })
    for (const sent of [{ method: 'tools/list' }, callOf('x'), callOf('none')]) {
      const { served, asked } = open(oidc)
      const ask = askOf(sent, { authorization: 'csrf-oidc' })
      expect((await send(served, ask)).status).to.equal(403)
      // GET needs no such header, but the client has sent a POST
      expect(asked.map(({ method }) => method)).to.deep.equal(['post'])
    }
  })
})
