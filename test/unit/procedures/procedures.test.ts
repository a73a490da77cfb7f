/** The management procedures: one definition, asked over WAMP or by an HTTP body. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { type InvocationHandler, WampError } from '#component/wamp/session.ts'
import type { Management } from '#procedures/definition/procedure.ts'
import { registerAll } from '#procedures/index.ts'
import { document } from '#test/unit/registry/doubles.ts'
import { ada, find, managementOf } from './doubles.ts'

const handlers = new Map<string, InvocationHandler>()
const options = new Map<string, unknown>()
const logged: unknown[] = []

async function register(management: Management) {
  handlers.clear()
  const session = {
    realm_uri: management.componentRealm,
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
  details: Readonly<Record<string, unknown>> = { caller_authid: 'ada' },
) => {
  const handler = handlers.get(`service.${name}`)
  if (!handler) throw new TypeError(name)
  return await handler({ args, kwargs }, { details, uri: name })
}

const refusal = async (...parameters: Parameters<typeof call>) => {
  const error = await call(...parameters).catch((reason: unknown) => reason)
  if (!(error instanceof WampError)) throw new TypeError('expected a WampError')
  return error
}

describe('management over WAMP', () => {
  let by: unknown[]
  beforeEach(async () => {
    const { management, lines } = await managementOf()
    by = lines
    await register(management)
  })

  it('registers every procedure, shared by nodes in turn', () => {
    expect([...handlers.keys()]).to.deep.equal([
      'service.load_api_spec',
      'service.validate_api_spec',
      'service.test_api_spec',
      'service.get_api_spec',
      'service.get_api_spec_info',
      'service.get_openapi',
      'service.list_api_specs',
      'service.delete_api_spec',
      'service.list_api_spec_versions',
      'service.get_api_spec_version',
      'service.diff_api_spec',
      'service.rollback_api_spec',
      'service.get_usage',
      'service.purge_cache',
      'service.load_realm',
      'service.get_realm',
      'service.list_realms',
      'service.delete_realm',
      'service.list_realm_versions',
      'service.get_realm_version',
      'service.diff_realm',
      'service.rollback_realm',
      'service.set_user',
      'service.delete_user',
      'service.set_grant',
      'service.delete_grant',
      'service.list_upstreams',
      'service.set_upstream_target',
      'service.list_deliveries',
      'service.list_delivery_events',
      'service.get_delivery_event',
      'service.replay_delivery_events',
      'service.drop_delivery_events',
      'service.pause_delivery',
      'service.resume_delivery',
      'service.test_delivery',
      'service.list_delivery_endpoints',
      'service.remove_delivery_endpoint',
      'service.change_password',
      'service.issue_api_key',
      'service.list_api_keys',
      'service.revoke_api_key',
      'service.revoke_all',
      'service.end_sessions',
      'service.list_sessions',
      'service.forget_account',
      'service.rotate_realm_keys',
      'service.ticket.issue',
      'service.ticket.revoke',
      'service.registry_status',
      'service.set_log_level',
      'service.explain_request',
      'service.explain_event',
      'service.issue_trace_token',
      'service.list_traces',
      'service.get_trace',
      'service.watch_requests',
      'service.list_route_use',
      'service.list_procedures',
      'service.list_wamp_sessions',
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
    expect(by.at(-1)).to.have.nested.property('0.by', 'ada@service.gateway')
    const shown = { ...document('a'), ts: 1_000 }
    expect((await call('get_api_spec', ['a'])).args).to.deep.equal([shown])
    expect((await call('get_api_spec', [], { id: 'a' })).args).to.deep.equal([shown])
    expect((await call('get_api_spec_info', ['a'])).args).to.deep.equal([
      { id: 'a', host: '_', realm_uri: 'com.example.test', ts: 1_000 },
    ])
    expect((await call('list_api_specs')).args).to.deep.equal([[shown]])
    expect((await call('delete_api_spec', ['a'])).args).to.deep.equal([{ id: 'a', ts: 1_000 }])
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
    expect(error.args).to.deep.equal([
      '/realm_uri: the realm does not exist: load a realm document first, {"uri": "…"}, by `wamp-gateway realm load`, POST /realms, service.load_realm, or `realms` of the configuration',
    ])
    expect(error.kwargs).to.deep.equal({
      code: 'wamp.error.invalid_argument',
      message:
        '/realm_uri: the realm does not exist: load a realm document first, {"uri": "…"}, by `wamp-gateway realm load`, POST /realms, service.load_realm, or `realms` of the configuration',
      description: 'An argument is missing, unexpected or of the wrong type.',
      details: [
        {
          path: '/realm_uri',
          message:
            'the realm does not exist: load a realm document first, {"uri": "…"}, by `wamp-gateway realm load`, POST /realms, service.load_realm, or `realms` of the configuration',
        },
      ],
    })
    expect((await refusal('get_api_spec', ['nope'])).error_uri).to.equal('service.error.not_found')
  })

  it('shows the history, and goes back in it', async () => {
    await call('load_api_spec', [document('a', ['/1'])])
    await call('load_api_spec', [document('a', ['/2'])])
    const { args } = await call('list_api_spec_versions', ['a'])
    const [newest, oldest] = args[0] as { hash: string }[]
    expect(args[0]).to.have.length(2)
    expect(newest).to.have.all.keys('ts', 'hash', 'node', 'by', 'is_current', 'is_deleted')
    const { args: loaded } = await call('rollback_api_spec', [], { id: 'a', hash: oldest?.hash })
    expect(loaded).to.deep.equal([{ id: 'a', ts: 1_000, warnings: [] }])
    expect((await call('get_api_spec', ['a'])).args).to.deep.equal([
      { ...document('a', ['/1']), ts: 1_000 },
    ])
  })

  it('only shows things to a caller who is disclosed as a reader', async () => {
    const rita = { caller: 5, caller_authid: 'rita', caller_authrole: 'spec_reader' }
    const error = await refusal('load_api_spec', [document('a')], {}, rita)
    expect(error.error_uri).to.equal('wamp.error.not_authorized')
    expect((await call('list_api_specs', [], {}, rita)).args).to.deep.equal([[]])
    const second = {
      ...rita,
      caller_authrole: 'staff',
      _caller_authroles: ['staff', 'spec_reader'],
    }
    const refused = await refusal('load_api_spec', [document('a')], {}, second)
    expect(refused.error_uri).to.equal('wamp.error.not_authorized')
    const lou = { ...rita, caller_authrole: 'spec_loader' }
    expect((await call('load_api_spec', [document('a')], {}, lou)).args[0]).to.include({ id: 'a' })
    await call('delete_api_spec', ['a'], {}, { caller: 5 })
    expect(by.at(-1)).to.have.nested.property('0.by', 'session 5')
  })

  it('says how the node is doing', async () => {
    expect((await call('registry_status')).args).to.deep.equal([{ node: 'node-1' }])
    await register((await managementOf({ status: async () => 'later' })).management)
    expect((await call('registry_status')).args).to.deep.equal(['later'])
  })

  it('hides an unexpected error, and logs it', async () => {
    const broken = () => {
      throw new Error('password=geheim')
    }
    const { management } = await managementOf({
      registry: { list: broken } as unknown as Management['registry'],
    })
    await register(management)
    const error = await refusal('list_api_specs')
    expect(error.error_uri).to.equal('service.error.internal')
    expect(JSON.stringify([error.args, error.kwargs])).to.not.include('geheim')
    expect(logged).to.have.length(1)
  })

  for (const [name, args, kwargs] of [
    ['load_api_spec', [], {}],
    ['load_api_spec', [{}, {}], {}],
    ['load_api_spec', [{}, 'maybe'], {}],
    ['load_api_spec', [{}, 'off', 1], {}],
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
    ['rollback_api_spec', ['a'], {}],
    ['purge_cache', ['a', [1]], {}],
    ['rollback_api_spec', ['a', 5], {}],
    ['rollback_api_spec', [], { id: 'a' }],
    ['list_api_spec_versions', [], {}],
    ['registry_status', ['a'], {}],
  ] as const) {
    it(`refuses ${name} with ${JSON.stringify(args)} and ${JSON.stringify(kwargs)}`, async () => {
      const error = await refusal(name, args, kwargs)
      expect(error.error_uri).to.equal('wamp.error.invalid_argument')
    })
  }
})

describe('a change over WAMP while nothing may be changed', () => {
  it('is refused, and everything else is answered', async () => {
    const { management } = await managementOf({
      refusal: () => new ServiceError('service.error.unavailable', 'the router is away'),
    })
    await register(management)
    const error = await refusal('load_api_spec', [document('a')])
    expect(error).to.include({ error_uri: 'service.error.unavailable' })
    expect((await call('validate_api_spec', [document('a')])).args[0]).to.include({ id: 'a' })
  })
})

describe('the answer over HTTP', () => {
  it('is 201 with Location for a new id, 200 for a replaced one', async () => {
    const { management } = await managementOf()
    const load = find('load_api_spec')
    const spaced = document('a b')
    const first = await load.handler(management, [spaced], ada)
    expect(first).to.deep.include({ status: 201 })
    expect(first.headers).to.have.property('location', '/api_specs/a%20b')
    const second = await load.handler(management, [spaced], ada)
    expect(second).to.not.have.property('status')
    const shown = await find('get_api_spec').handler(management, ['a b'], ada)
    expect(shown.headers?.etag).to.equal(second.headers?.etag)
    expect(shown.headers?.etag).to.match(/^"[0-9a-f]{64}"$/)
  })

  it('of a deletion has no body at its REST path', () => {
    expect(find('delete_api_spec').mirrors).to.deep.equal([
      { method: 'DELETE', path: '/api_specs/:id', status: 204 },
    ])
  })
})
