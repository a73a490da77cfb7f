/** What loading a realm says of the keys of its identity providers. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.test'
const least = { issuer: 'https://id.example', client_id: 'app' }
const realm = (entry: object) => ({ uri, info: { oidc_providers: { main: entry } } })

describe('the keys of a provider', () => {
  for (const [key, hint] of [
    ['role_maping', '; did you mean role_mapping?'],
    ['client-secret', '; did you mean client_secret?'],
    ['xyz', ''],
  ]) {
    it(`are warned of when they are unknown: ${key}`, async () => {
      const { realms } = await realmsWith()
      const [loaded] = await realms.load(realm({ ...least, [`${key}`]: {} }))
      expect(loaded?.warnings).to.deep.equal([
        {
          path: `/info/oidc_providers/main/${key}`,
          message: `the key "${key}" is unknown and is ignored${hint}`,
        },
      ])
    })
  }

  it('are not warned of when they are known', async () => {
    const { realms } = await realmsWith()
    const entry = { ...least, role_mapping: { role_maping: 'a' }, cookie_same_site: 'strict' }
    expect((await realms.load(realm(entry)))[0]?.warnings).to.deep.equal([])
  })

  it('refuse a way to authenticate that the gateway does not have, without repeating it', async () => {
    const { realms } = await realmsWith()
    const entry = { ...least, token_endpoint_auth_method: 'private_key_jwt' }
    const refusal = await realms.load(realm(entry)).then(
      () => undefined,
      (error: InvalidSpecError) => error.issues,
    )
    expect(refusal).to.deep.equal([
      {
        path: '/info/oidc_providers/main/token_endpoint_auth_method',
        message: 'expected one of client_secret_basic, client_secret_post, none',
      },
    ])
  })
})
