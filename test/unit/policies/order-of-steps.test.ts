/** Rate limits among the other steps of a request: of two faults the earlier one is told, and what a faulty request takes. */
import { expect } from 'chai'
import { forEachType } from '#component/security/kinds.ts'
import { type SecurityScheme, unauthorized } from '#component/security/scheme.ts'
import { type Ask, bodyOf, call, documentOf, serve } from '#test/unit/gateway/fake-exchange.ts'
import { policyPorts } from './policy-ports.ts'

/** Who has no credentials is 401. */
const scheme: SecurityScheme = {
  authenticate(request, protection) {
    const username = request.header('authorization')
    if (username === undefined) throw unauthorized(protection, 'who are you')
    return {
      ...{ realm_uri: 'com.example.realm', username, authid: username, authmethod: 'basic' },
      ...{ authroles: [], groups: [], meta: {} },
    }
  },
}
const schemes = forEachType(() => scheme)

/** What may be wrong with a request, in the order of the steps: its status, its code, and whether it takes from the limits. */
const faults = {
  method: [405, 'service.error.method_not_allowed', 0],
  scheme: [403, 'wamp.error.not_authorized', 0],
  'limit per address': [429, 'service.error.too_many_requests', 0],
  credentials: [401, 'service.error.unauthorized', 0],
  'limit per user': [429, 'service.error.too_many_requests', 0],
  accept: [406, 'service.error.not_acceptable', 1],
  'content type': [415, 'service.error.unsupported_media_type', 1],
  size: [413, 'service.error.payload_too_large', 1],
  syntax: [400, 'service.error.bad_request', 1],
  schema: [400, 'service.error.validation_failed', 1],
  action: [500, undefined, 1],
} as const
type Fault = keyof typeof faults
const steps = Object.keys(faults) as Fault[]

const maxBytes = 100
const failure = 'com.example.no'

/** Amounts of the two limits. */
interface Units {
  readonly address: number
  readonly user: number
}

/** A gateway whose limits allow so much. */
function gateway({ address, user }: Units, error_uri?: string) {
  const limit = (name: string, per: string, amount: number) => ({
    ...{ name, amount, per, window: 3600 },
  })
  const secured = { schemes: ['https'], security: { type: 'basic' } }
  const document = documentOf({
    '/x': {
      ...secured,
      ...{ body_max_bytes: maxBytes, accepts: ['application/json'] },
      provides: ['application/json'],
      rate_limit: [limit('address', 'address', address), limit('user', 'user', user)],
      post: { ...call({ args: ['{{request.body}}'] }), request: { body: { type: 'object' } } },
      options: { action: {}, response: {} },
    },
    '/read': { ...secured, rate_limit: limit('read', 'all', 10), get: call() },
  })
  const result = { request_id: 1, details: {}, args: [], kwargs: {} }
  const perform = () => (error_uri === undefined ? { result } : { error: { ...result, error_uri } })
  return serve(document, perform, undefined, schemes, '*', undefined, policyPorts())
}

const sound: Ask = { scheme: 'https', headers: { authorization: 'ada' }, body: '{}' }

/** A request with these faults. */
function requestWith(found: ReadonlySet<Fault>): readonly [line: string, ask: Ask] {
  const content = found.has('syntax') ? '{' : found.has('schema') ? '5' : '{}'
  const headers = {
    'content-type': found.has('content type') ? 'text/xml' : 'application/json',
    ...(!found.has('credentials') && { authorization: 'ada' }),
    ...(found.has('accept') && { accept: 'text/html' }),
  }
  return [
    `${found.has('method') ? 'PATCH' : 'POST'} /v1/x`,
    {
      scheme: found.has('scheme') ? 'http' : 'https',
      headers,
      body: found.has('size') ? content.padEnd(maxBytes + 1) : content,
    },
  ]
}

/** Asks with these faults: limits that are among them allow one request, which has been served. */
async function ask(found: ReadonlySet<Fault>) {
  const amountOf = (fault: Fault) => (found.has(fault) ? 1 : 10)
  const units = { address: amountOf('limit per address'), user: amountOf('limit per user') }
  const served = gateway(units, found.has('action') ? failure : undefined)
  await served.ask('POST /v1/x', sound)
  return await served.ask(...requestWith(found))
}

/** How many requests are served until a limit refuses. */
async function servedUntilRefused(served: ReturnType<typeof gateway>): Promise<number> {
  for (let count = 0; ; count += 1) {
    const { status } = await served.ask('POST /v1/x', sound)
    if (status === 429) return count
  }
}

describe('the steps of a request with rate limits', () => {
  it('let a sound request pass', async () => {
    const { status } = await ask(new Set())
    expect(status).to.equal(204)
  })

  for (const [index, one] of steps.entries()) {
    const [status, code] = faults[one]
    it(`answer ${one} with ${status}, whatever is wrong in a later step`, async () => {
      for (const other of [one, ...steps.slice(index + 1)]) {
        const reply = await ask(new Set([one, other]))
        expect(reply.status, `${one} and ${other}`).to.equal(status)
        if (code) expect(bodyOf(reply), `${one} and ${other}`).to.deep.include({ code })
      }
    })
  }

  it('name the limit of the address before security, and that of the user behind it', async () => {
    const messageOf = async (...found: Fault[]) => bodyOf(await ask(new Set(found)))
    const told = (name: string) => ({ message: `the limit "${name}" allows 1 in 3600 s` })
    const address = 'limit per address'
    expect(await messageOf(address, 'limit per user')).to.deep.include(told('address'))
    expect(await messageOf(address, 'credentials')).to.deep.include(told('address'))
    expect(await messageOf('limit per user', 'accept')).to.deep.include(told('user'))
  })

  for (const one of steps.filter((step) => !step.startsWith('limit'))) {
    const [status, , taken] = faults[one]
    it(`${taken === 1 ? 'count' : 'do not count'} a request whose fault is ${one}`, async () => {
      for (const units of [
        { address: 3, user: 10 },
        { address: 10, user: 3 },
      ]) {
        const served = gateway(units, one === 'action' ? failure : undefined)
        const reply = await served.ask(...requestWith(new Set([one])))
        expect(reply.status).to.equal(status)
        expect(await servedUntilRefused(served), JSON.stringify(units)).to.equal(3 - taken)
      }
    })
  }

  it('take nothing of the address for what the limit of the user refuses', async () => {
    const served = gateway({ address: 4, user: 1 })
    for (let count = 0; count < 10; count += 1) {
      const reply = await served.ask('POST /v1/x', sound)
      expect(reply.status).to.equal(count === 0 ? 204 : 429)
      if (count > 0) expect(reply.headers.ratelimit).to.match(/^"user";r=0/)
    }
    const others = { ...sound, headers: { authorization: 'grace' } }
    expect((await served.ask('POST /v1/x', others)).status).to.equal(204)
  })

  it('count a request that the router or the backend refuses with 403', async () => {
    const served = gateway({ address: 3, user: 3 }, 'wamp.error.not_authorized')
    expect((await served.ask('POST /v1/x', sound)).status).to.equal(403)
    expect(await servedUntilRefused(served)).to.equal(2)
  })

  it('do not count OPTIONS, be it declared or a preflight, and tell it no limit', async () => {
    const served = gateway({ address: 2, user: 2 })
    for (const path of ['/v1/x', '/v1/read']) {
      const { status, headers } = await served.ask(`OPTIONS ${path}`, { scheme: 'https' })
      expect(status).to.be.within(200, 204)
      expect(headers).not.to.have.any.keys('ratelimit', 'ratelimit-policy')
    }
    expect(await servedUntilRefused(served)).to.equal(2)
  })

  it('count HEAD as GET', async () => {
    const served = gateway({ address: 1, user: 1 })
    const read = { scheme: 'https', headers: { authorization: 'ada' } } as const
    const left = async (method: string) =>
      (await served.ask(`${method} /v1/read`, read)).headers.ratelimit
    expect(await left('HEAD')).to.match(/;r=9;/)
    expect(await left('GET')).to.match(/;r=8;/)
  })
})
