/** API Specifications belong to the realm that they name: who is kept within another one is refused. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { document, registryWith } from './doubles.ts'

const [one, other] = ['com.example.one', 'com.example.other']
const spec = (id: string, realm_uri: string, paths?: readonly string[]) =>
  document(id, paths, { realm_uri })

async function opened() {
  const found = await registryWith({ realmExists: () => true })
  await found.registry.load(spec('a', one, ['/a']))
  return found
}

const refusal = async (promise: Promise<unknown>) => {
  const cause: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(cause instanceof ServiceError)) throw new TypeError('expected a refusal')
  return cause
}

const denied = 'wamp.error.not_authorized'

describe('an API Specification of another realm', () => {
  it('is not shown', async () => {
    const { registry } = await opened()
    expect(() => registry.get('a', other))
      .to.throw(ServiceError)
      .with.property('uri', denied)
    expect(() => registry.info('a', other))
      .to.throw(ServiceError)
      .with.property('uri', denied)
    expect((await refusal(registry.history.list('a', other))).uri).to.equal(denied)
    expect(registry.list(other)).to.deep.equal([])
    expect(registry.list(one)).to.have.length(1)
    expect(registry.get('a', one).document).to.include({ id: 'a' })
    expect(await registry.history.list('a', one)).to.have.length(1)
  })

  it('is neither deleted nor taken over', async () => {
    const { registry, serves } = await opened()
    for (const change of [
      registry.remove('a', 'x', {}, other),
      registry.remove('a', 'x', { ifMatch: ['0'] }, other),
      registry.load(spec('a', other), 'x', {}, other),
      registry.load(spec('a', other), 'x', {}, one), // whose it was is not enough
      registry.tryOut(spec('a', other), other),
    ]) {
      expect((await refusal(change)).uri).to.equal(denied)
    }
    expect(registry.get('a').document).to.include({ realm_uri: one })
    expect(serves('/v1/a')).to.equal('a')
    await registry.load(spec('a', other)) // by somebody who manages both
    expect((await refusal(registry.remove('a', 'x', {}, one))).uri).to.equal(denied)
  })

  it('is not shown as it was before it came to another realm', async () => {
    const { registry } = await opened()
    const { hash } = registry.get('a')
    await registry.load(spec('a', other))
    const current = registry.get('a').hash
    expect((await registry.history.get('a', current, other)).hash).to.equal(current)
    for (const reading of [
      registry.history.get('a', hash, other),
      registry.history.differences('a', hash, undefined, other),
      registry.history.differences('a', current, hash, other),
    ]) {
      expect((await refusal(reading)).uri).to.equal(denied)
    }
  })

  it('is not named when it has a route that is wanted', async () => {
    const { registry, logged } = await opened()
    const cause = await refusal(registry.load(spec('b', other, ['/a']), 'x', {}, other))
    expect(cause.toJSON()).to.deep.equal({
      code: denied,
      message:
        'the route /v1/a (/versions/1.0/paths/~1a) matches requests that belong to another realm',
      description: 'This is not allowed.',
    })
    expect((await refusal(registry.tryOut(spec('b', other, ['/a']), other))).uri).to.equal(denied)
    // within one realm, and for who manages everything, it is told
    for (const within of [one, undefined]) {
      const known = await refusal(registry.load(spec('b', one, ['/a']), 'x', {}, within))
      expect(known.uri).to.equal('service.error.already_exists')
    }
    expect(logged).to.not.deep.equal([])
  })

  it('is not brought back after it was deleted', async () => {
    const { registry } = await opened()
    const { hash } = registry.get('a')
    await registry.remove('a', 'x', {}, one)
    expect((await refusal(registry.rollback('a', hash, 'x', {}, other))).uri).to.equal(denied)
    expect((await refusal(registry.rollback('a', 'no hash', 'x', {}, other))).uri).to.equal(denied)
    expect((await refusal(registry.history.list('a', other))).uri).to.equal(denied)
    await registry.load(spec('a', other), 'x', {}, other) // the id is free
    expect((await refusal(registry.rollback('a', hash, 'x', {}, other))).uri).to.equal(denied)
    await registry.remove('a', 'x', {}, other)
    await registry.rollback('a', hash)
    expect(registry.get('a', one).hash).to.equal(hash)
  })

  it('is unknown, not denied, when there is none', async () => {
    const { registry } = await opened()
    expect(() => registry.get('z', other))
      .to.throw()
      .with.property('uri', 'service.error.not_found')
    expect((await refusal(registry.remove('z', 'x', {}, other))).uri).to.equal(
      'service.error.not_found',
    )
  })
})
