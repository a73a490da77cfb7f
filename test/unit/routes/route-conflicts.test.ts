/** Routes that reach requests of others: refused to operators of one realm, told to those of all. */
import { expect } from 'chai'
import { InvalidSpecError, ServiceError } from '#component/errors.ts'
import type { Document } from '#component/replica/entry.ts'
import { managementPaths } from '#procedures/index.ts'
import { document, failure, registryWith } from '#test/unit/registry/doubles.ts'
import { stampAt, versionOf } from '#test/unit/registry/peers.ts'

const [one, other] = ['com.example.one', 'com.example.other']

const spec = (id: string, realm_uri: string, paths: readonly string[], more: object = {}) =>
  document(id, paths, { realm_uri, ...more })

/** A document whose paths are not below a base path. */
const bare = (id: string, realm_uri: string, paths: readonly string[], more: object = {}) => {
  const { versions } = document(id, paths)
  const version = { ...versions['1.0'], base_path: '/' }
  return spec(id, realm_uri, [], { versions: { '1.0': version }, ...more })
}

const opened = async (managed: readonly string[] = []) =>
  registryWith({ realmExists: () => true, managementPaths: managed })

type Registry = Awaited<ReturnType<typeof opened>>['registry']

/** What an operator of the other realm is told; undefined when the document is loaded. */
async function told(registry: Registry, wanted: unknown): Promise<string | undefined> {
  const tried = await failure(registry.tryOut(wanted, other))
  const cause = await failure(registry.load(wanted, 'x', {}, other))
  expect(String(tried)).to.equal(String(cause))
  if (cause === undefined) return undefined
  if (!(cause instanceof ServiceError) || cause instanceof InvalidSpecError) throw cause
  expect(cause.uri).to.equal('wamp.error.not_authorized')
  return cause.message
}

const secured = { defaults: { security: { type: 'oauth2', flow: 'client_credentials' } } }

describe('routes and the requests of another realm', () => {
  for (const [what, theirs, mine, route] of [
    ['a path below one of its bindings', ['/orders/:id'], ['/orders/7'], '/v1/orders/7'],
    ['a binding beside one of its paths', ['/orders/7'], ['/orders/:id'], '/v1/orders/:id'],
    ['a rest around its paths', ['/a/b'], ['/[...]'], '/v1/[...]'],
    ['a path in its rest', ['/files/[...]'], ['/x', '/files/a/b'], '/v1/files/a/b'],
    ['optional segments', ['/a/b/c'], ['/a[/:x][/c]'], '/v1/a[/:x][/c]'],
    ['an equal path in other letters', ['/a~'], ['/%61%7E'], '/v1/%61%7E'],
  ] as const) {
    it(`refuses ${what}, and names nothing of it`, async () => {
      const { registry, serves } = await opened()
      await registry.load(spec('secret-id', one, theirs))
      const at = `/versions/1.0/paths/${mine.at(-1)?.replaceAll('~', '~0').replaceAll('/', '~1')}`
      expect(await told(registry, spec('b', other, mine))).to.equal(
        `the route ${route} (${at}) matches requests that belong to another realm`,
      )
      expect(serves('/v1/x')).to.not.equal('b')
    })
  }

  for (const [theirs, mine, isRefused] of [
    ['_', '127.0.0.1', true],
    ['api.example.com', '_', true],
    ['api.:_', 'api.com', true],
    ['[www.]example.com', ':_.example.com', true],
    ['one.example.com', 'other.example.com', false],
    ['example.com', ':_.example.com', false],
  ] as const) {
    it(`${isRefused ? 'refuses' : 'takes'} the host ${mine} beside ${theirs}`, async () => {
      const { registry } = await opened()
      await registry.load(spec('a', one, ['/x'], { host: theirs }))
      const message = await told(registry, spec('b', other, ['/x'], { host: mine }))
      expect(message !== undefined).to.equal(isRefused)
    })
  }

  it('refuses what its security generates, and what would take generated routes', async () => {
    const { registry } = await opened()
    await registry.load(spec('a', one, ['/x'], secured))
    expect(
      await told(registry, spec('b', other, ['/oauth/token'], { host: '127.0.0.1' })),
    ).to.match(/^the route \/v1\/oauth\/token /)
    const generating = spec('b', other, ['/y'], { ...secured, host: '127.0.0.1' })
    expect(await told(registry, generating)).to.match(/\(\/defaults\/security\) matches requests/)
  })

  it('refuses beside documents that are not served, and does not tell what else is wrong', async () => {
    const { registry, replica } = await opened()
    const broken = { ...spec('a', one, ['/x/:id']), name: 7 }
    await replica.merge([versionOf('a', broken as unknown as Document, stampAt(2_000))])
    const wanted = { ...spec('b', other, ['/x/7']), name: 7 }
    expect(await told(registry, wanted)).to.match(/^the route \/v1\/x\/7 /)
  })

  it('takes what is apart, and whatever overlaps within its own realm', async () => {
    const { registry, serves } = await opened()
    await registry.load(spec('a', one, ['/x/:id']))
    await registry.load(spec('c', other, ['/y/:id']))
    expect(await told(registry, spec('b', other, ['/y/7', '/x', '/x/7/8']))).to.equal(undefined)
    expect(serves('/v1/y/7')).to.equal('b')
    // and changes what is its own
    expect(await told(registry, spec('b', other, ['/y/8']))).to.equal(undefined)
  })

  it('refuses what the history has, once others have its requests', async () => {
    const { registry } = await opened()
    const { hash } = await registry.load(spec('b', other, ['/x/7']), 'x', {}, other)
    await registry.load(spec('b', other, ['/y']), 'x', {}, other)
    await registry.load(spec('a', one, ['/x/:id']))
    const cause = await failure(registry.rollback('b', hash, 'x', {}, other))
    expect(cause).to.have.property('uri', 'wamp.error.not_authorized')
  })

  it('are not refused to other nodes', async () => {
    const { registry, replica, serves } = await opened()
    await registry.load(spec('b', other, ['/x/7']), 'x', {}, other)
    await replica.merge([versionOf('a', spec('a', one, ['/x/:id']), stampAt(2_000))])
    expect([serves('/v1/x/7'), serves('/v1/x/8')]).to.deep.equal(['b', 'a'])
  })

  it('are told to whoever manages both, and nothing is refused', async () => {
    const { registry } = await opened()
    await registry.load(spec('a', one, ['/x/:id']))
    const { warnings } = await registry.load(spec('b', other, ['/x/7', '/y']))
    const path = '/versions/1.0/paths/~1x~17'
    const message =
      'the route and /v1/x/:id of a, which belongs to another realm, could match the same requests'
    expect(warnings).to.deep.equal([{ path, message }])
    expect((await registry.tryOut(spec('b', other, ['/x/7']))).warnings).to.have.length(1)
    // its own former version is no other document
    expect((await registry.load(spec('b', one, ['/x/7']))).warnings).to.deep.equal([])
  })
})

describe('routes and management on a shared listener', () => {
  const requests = new Set(managementPaths.map((path) => path.replaceAll(/:\w+/g, 'some')))

  for (const path of ['/services/[...]', '/:_[/:_][/:_][/:_][/:_]', ...requests]) {
    it(`refuses ${path} on any host`, async () => {
      const { registry } = await opened(managementPaths)
      const wanted = bare('b', other, [path], { host: 'api.example.com' })
      expect(await told(registry, wanted)).to.match(
        /matches requests to management, which this listener serves$/,
      )
      const { warnings } = await registry.load(wanted)
      expect(warnings.map((warning) => warning.message).join()).to.match(/^the route hides/)
    })
  }

  it('takes them where management is elsewhere, and other paths anywhere', async () => {
    const { registry } = await opened()
    expect(await told(registry, bare('b', other, ['/realms']))).to.equal(undefined)
    const shared = await opened(managementPaths)
    const apart = bare('b', other, ['/services', '/services/mine', '/api_specs/1/2'])
    expect(await told(shared.registry, apart)).to.equal(undefined)
  })
})
