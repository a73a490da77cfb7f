/** The management procedures: one definition, asked over WAMP or by an HTTP body. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { type InvocationHandler, WampError } from '#component/wamp/session.ts'
import { procedures, registerAll } from '#procedures/index.ts'
import { argumentsOfBody, argumentsOfCall, type Management } from '#procedures/procedure.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'
import { document, registryWith } from '#test/unit/registry/doubles.ts'

const handlers = new Map<string, InvocationHandler>()
const options = new Map<string, unknown>()
const logged: unknown[] = []

async function register(management: Management) {
  handlers.clear()
  const session = {
    register: async (uri: string, handler: InvocationHandler, given?: unknown) => {
      handlers.set(uri, handler)
      options.set(uri, given)
    },
  }
  await registerAll(session, management, { error: (...line: unknown[]) => void logged.push(line) })
}

const call = async (
  name: string,
  args: readonly unknown[] = [],
  kwargs: Readonly<Record<string, unknown>> = {},
) => {
  const handler = handlers.get(`service.${name}`)
  if (!handler) throw new TypeError(name)
  return await handler({ args, kwargs }, { details: { caller_authid: 'ada' }, uri: name })
}

const refusal = async (...parameters: Parameters<typeof call>) => {
  const error = await call(...parameters).catch((reason: unknown) => reason)
  if (!(error instanceof WampError)) throw new TypeError('expected a WampError')
  return error
}

const find = (name: string) => {
  const found = procedures.find(({ uri }) => uri === `service.${name}`)
  if (!found) throw new TypeError(name)
  return found
}

describe('management over WAMP', () => {
  let by: unknown[]
  beforeEach(async () => {
    const { registry, logged: lines } = registryWith()
    by = lines
    await register({ registry, realms: realmsWith().realms })
  })

  it('registers every procedure, shared by nodes in turn', () => {
    expect([...handlers.keys()]).to.deep.equal([
      'service.load_api_spec',
      'service.validate_api_spec',
      'service.get_api_spec',
      'service.get_api_spec_info',
      'service.list_api_specs',
      'service.delete_api_spec',
      'service.load_realm',
      'service.get_realm',
      'service.list_realms',
    ])
    expect(new Set([...options.values()].map((one) => JSON.stringify(one)))).to.deep.equal(
      new Set(['{"invoke":"roundrobin"}']),
    )
  })

  it('loads, shows, lists and deletes an API Specification', async () => {
    const loaded = { id: 'a', ts: 1_000, warnings: [] }
    expect(await call('load_api_spec', [document('a')])).to.deep.equal({
      args: [loaded],
      kwargs: {},
    })
    expect(by.at(-1)).to.have.nested.property('0.by', 'authid ada')
    const shown = { ...document('a'), ts: 1_000 }
    expect((await call('get_api_spec', ['a'])).args).to.deep.equal([shown])
    expect((await call('get_api_spec', [], { id: 'a' })).args).to.deep.equal([shown])
    expect((await call('get_api_spec_info', ['a'])).args).to.deep.equal([
      { id: 'a', host: '_', realm_uri: 'com.example.test', ts: 1_000 },
    ])
    expect((await call('list_api_specs')).args).to.deep.equal([[shown]])
    expect((await call('delete_api_spec', ['a'])).args).to.deep.equal([null])
    expect((await call('list_api_specs')).args).to.deep.equal([[]])
  })

  it('validates without keeping anything', async () => {
    expect((await call('validate_api_spec', [document('a')])).args).to.deep.equal([
      { id: 'a', warnings: [] },
    ])
    expect((await call('list_api_specs')).args).to.deep.equal([[]])
  })

  it('loads one realm or several, shows and lists them', async () => {
    const loaded = (uri: string) => ({ uri, ts: 1_000, warnings: [] })
    expect((await call('load_realm', [{ uri: 'a' }])).args).to.deep.equal([loaded('a')])
    expect((await call('load_realm', [[{ uri: 'a' }, { uri: 'b' }]])).args).to.deep.equal([
      [loaded('a'), loaded('b')],
    ])
    expect((await call('get_realm', ['a'])).args).to.deep.equal([{ uri: 'a', ts: 1_000 }])
    expect((await call('list_realms')).args[0]).to.have.length(2)
  })

  it('answers errors with the message, and with the body that HTTP would send', async () => {
    const error = await refusal('load_api_spec', [{ ...document('a'), realm_uri: 'com.nowhere' }])
    expect(error.error_uri).to.equal('wamp.error.invalid_argument')
    expect(error.args).to.deep.equal(['/realm_uri: there is no such realm'])
    expect(error.kwargs).to.deep.equal({
      code: 'wamp.error.invalid_argument',
      message: '/realm_uri: there is no such realm',
      description: 'An argument is missing, unexpected or of the wrong type.',
      details: [{ path: '/realm_uri', message: 'there is no such realm' }],
    })
    expect((await refusal('get_api_spec', ['nope'])).error_uri).to.equal('service.error.not_found')
  })

  it('hides an unexpected error, and logs it', async () => {
    const broken = () => {
      throw new Error('password=geheim')
    }
    await register({
      registry: { ...registryWith().registry, list: broken } as unknown as Management['registry'],
      realms: realmsWith().realms,
    })
    const error = await refusal('list_api_specs')
    expect(error.error_uri).to.equal('service.error.internal')
    expect(JSON.stringify([error.args, error.kwargs])).to.not.include('geheim')
    expect(logged).to.have.length(1)
  })

  for (const [name, args, kwargs] of [
    ['load_api_spec', [], {}],
    ['load_api_spec', [{}, {}], {}],
    ['load_api_spec', [{}], { api_spec: {} }],
    ['load_api_spec', [], { spec: {} }],
    ['get_api_spec', [], {}],
    ['get_api_spec', ['a', 'b'], {}],
    ['get_api_spec', [5], {}],
    ['get_api_spec', [null], {}],
    ['get_api_spec', [], { id: ['a'] }],
    ['get_api_spec', [], { id: 'a', more: 1 }],
    ['list_api_specs', ['a'], {}],
    ['list_api_specs', [], { id: 'a' }],
    ['delete_api_spec', [{}], {}],
  ] as const) {
    it(`refuses ${name} with ${JSON.stringify(args)} and ${JSON.stringify(kwargs)}`, async () => {
      const error = await refusal(name, args, kwargs)
      expect(error.error_uri).to.equal('wamp.error.invalid_argument')
    })
  }
})

describe('the arguments in an HTTP body', () => {
  it('are the document itself for load and validate', () => {
    for (const name of ['load_api_spec', 'validate_api_spec', 'load_realm']) {
      const body = { id: 'a' }
      expect(argumentsOfBody(find(name), body)).to.deep.equal([body])
      expect(() => argumentsOfBody(find(name), '')).to.throw(ServiceError)
    }
  })

  it('are an object of named parameters for the others, or nothing where there are none', () => {
    expect(argumentsOfBody(find('get_api_spec'), { id: 'a' })).to.deep.equal(['a'])
    expect(argumentsOfBody(find('list_api_specs'), undefined)).to.deep.equal([])
    expect(argumentsOfBody(find('list_api_specs'), {})).to.deep.equal([])
    for (const body of [['a'], 'a', 5, null, {}, { id: 5 }, { name: 'a' }]) {
      expect(() => argumentsOfBody(find('get_api_spec'), body), JSON.stringify(body))
        .to.throw(ServiceError)
        .with.property('uri', 'wamp.error.invalid_argument')
    }
  })

  it('count in the message, and show nothing of what was sent', () => {
    expect(() => argumentsOfCall(find('get_api_spec'), ['geheim', 'x'], {})).to.throw(
      'found 2 arguments, expected 1 argument (id)',
    )
    expect(() => argumentsOfCall(find('get_api_spec'), [], { geheim: 1 })).to.throw(
      'found 1 argument by name, expected 1 argument (id)',
    )
  })
})

describe('the answer over HTTP', () => {
  it('is 201 with Location for a new id, 200 for a replaced one', async () => {
    const { registry } = registryWith()
    const management = { registry, realms: realmsWith().realms }
    const load = find('load_api_spec')
    const spaced = document('a b')
    const first = await load.handler(management, [spaced], 'ada')
    expect(first).to.deep.include({ status: 201 })
    expect(first.headers).to.have.property('location', '/api_specs/a%20b')
    const second = await load.handler(management, [spaced], 'ada')
    expect(second).to.not.have.property('status')
    const shown = await find('get_api_spec').handler(management, ['a b'], 'ada')
    expect(shown.headers?.etag).to.equal(second.headers?.etag)
    expect(shown.headers?.etag).to.match(/^"[0-9a-f]{64}"$/)
  })

  it('of a deletion has no body at its REST path', () => {
    expect(find('delete_api_spec').mirrors).to.deep.equal([
      { method: 'DELETE', path: '/api_specs/:id', status: 204 },
    ])
  })
})
