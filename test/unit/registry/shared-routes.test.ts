/** Generated routes and the registry: documents of one realm own them together, and a refusal names only what is taken. */
import { expect } from 'chai'
import { InvalidSpecError } from '#component/errors.ts'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { registryWith } from './doubles.ts'

const secured = { defaults: { security: { type: 'oauth2', flow: 'client_credentials' } } }

describe('generated routes in the registry', () => {
  it('are owned together by documents of one realm, and stay until the last is deleted', async () => {
    const { registry, tables } = await registryWith({ realmExists: () => true })
    await registry.load({ ...documentOf({}, secured), id: 'one' }, 'test')
    await registry.load({ ...documentOf({}, secured), id: 'two' }, 'test')
    const owner = () => tables.at(-1)?.match('x', '/v1/oauth/jwks', 'get')?.entry.api
    expect(owner()).to.be.oneOf(['one', 'two'])
    await registry.remove('one', 'test')
    expect(owner()).to.equal('two')
    await registry.remove('two', 'test')
    expect(owner()).to.equal(undefined)
  })

  it('are each named by themselves when one of them is taken', async () => {
    const { registry } = await registryWith({ realmExists: () => true })
    const own = documentOf({ '/oauth/jwks': { get: fixed() } })
    await registry.load({ ...own, id: 'one' }, 'test')
    const refused = await registry
      .load({ ...documentOf({}, secured), id: 'two' }, 'test')
      .catch((error: unknown) => error)
    if (!(refused instanceof InvalidSpecError)) throw refused
    expect(refused.issues).to.have.length(1)
    expect(refused.issues[0]?.path).to.equal('/defaults/security')
    expect(refused.issues[0]?.message).to.contain('/v1/oauth/jwks').and.contain('one')
  })
})
