/** docs/keycloak.md and the realm that Keycloak imports: fields that its representations have, addresses that the gateway serves. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { settingsOf } from '#component/oidc/settings.ts'
import { isMap } from '#component/syntax/values.ts'
import { linesOf } from '#test/unit/compile/generated.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const parsed = (path: string) => JSON.parse(read(path))

const page = read('docs/keycloak.md')
const exported = parsed('examples/oidc-login/keycloak-realm.json')
const document = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '{}')
const provider = document.info?.oidc_providers?.main
const [client] = exported.clients

/**
 * Fields of org.keycloak.representations.idm and their types, as Keycloak publishes them: Jackson refuses an import with another
 * field, and one of another type.
 */
const text = 'text' as const
const flag = 'flag' as const
const integer = 'integer' as const
const texts = 'texts' as const
type Type = 'text' | 'flag' | 'integer' | 'texts' | readonly Type[] | Fields
interface Fields {
  readonly [field: string]: Type
}
const mapper: Fields = {
  ...{ id: text, name: text, protocol: text, protocolMapper: text },
  ...{ consentRequired: flag, consentText: text, config: texts },
}
const role: Fields = {
  ...{ id: text, name: text, description: text, scopeParamRequired: flag, composite: flag },
  ...{ clientRole: flag, containerId: text },
}
const clientFields: Fields = {
  ...{ id: text, clientId: text, name: text, description: text, type: text },
  ...{ rootUrl: text, adminUrl: text, baseUrl: text, surrogateAuthRequired: flag, enabled: flag },
  ...{ alwaysDisplayInConsole: flag, clientAuthenticatorType: text, secret: text },
  ...{ redirectUris: [text], webOrigins: [text], notBefore: integer, bearerOnly: flag },
  ...{ consentRequired: flag, standardFlowEnabled: flag, implicitFlowEnabled: flag },
  ...{ directAccessGrantsEnabled: flag, serviceAccountsEnabled: flag, publicClient: flag },
  ...{ authorizationServicesEnabled: flag, frontchannelLogout: flag, protocol: text },
  ...{ attributes: texts, fullScopeAllowed: flag, nodeReRegistrationTimeout: integer },
  ...{ protocolMappers: [mapper], defaultClientScopes: [text], optionalClientScopes: [text] },
}
const user: Fields = {
  ...{ id: text, username: text, firstName: text, lastName: text, email: text },
  ...{ emailVerified: flag, enabled: flag, realmRoles: [text], groups: [text] },
  credentials: [{ id: text, type: text, value: text, temporary: flag, userLabel: text }],
  requiredActions: [text],
}
const realmFields: Fields = {
  ...{ id: text, realm: text, displayName: text, displayNameHtml: text, enabled: flag },
  ...{ sslRequired: text, registrationAllowed: flag, rememberMe: flag, verifyEmail: flag },
  ...{ loginWithEmailAllowed: flag, resetPasswordAllowed: flag, editUsernameAllowed: flag },
  ...{ bruteForceProtected: flag, ssoSessionIdleTimeout: integer, ssoSessionMaxLifespan: integer },
  ...{ accessTokenLifespan: integer, defaultLocale: text, supportedLocales: [text] },
  ...{ roles: { realm: [role] }, clients: [clientFields], users: [user], attributes: texts },
}

const matches: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  flag: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  texts: (value) => isMap(value) && Object.values(value).every((one) => typeof one === 'string'),
}

/** The places where a value has a field that its type lacks, or another type. */
function misfits(value: unknown, type: Type | undefined, at: string): readonly string[] {
  if (typeof type === 'string') return matches[type]?.(value) ? [] : [at]
  if (Array.isArray(type)) {
    if (!Array.isArray(value)) return [at]
    return value.flatMap((one, index) => misfits(one, type[0], `${at}/${index}`))
  }
  if (type === undefined || !isMap(value)) return [at]
  const fields = type as Fields
  return Object.entries(value).flatMap(([key, one]) =>
    misfits(one, Object.hasOwn(fields, key) ? fields[key] : undefined, `${at}/${key}`),
  )
}

describe('the realm that Keycloak imports', () => {
  it('has fields of its representations alone', () => {
    expect(misfits(exported, realmFields, '')).to.deep.equal([])
    expect(misfits({ ...exported, realmUri: 'x', enabled: 'yes' }, realmFields, '')).to.deep.equal([
      '/enabled',
      '/realmUri',
    ])
  })

  it('holds no secret of the client', () => {
    expect(client).to.not.have.property('secret')
  })

  it('leads to addresses that the gateway serves for the document of the example', () => {
    const served = linesOf(parsed('examples/oidc-login/api-spec.json'))
    const origin = 'http://localhost:18080'
    const attributes = client.attributes
    const [callback, ...others] = client.redirectUris
    expect(others).to.deep.equal([])
    for (const [method, url] of [
      ['get', callback],
      ['post', attributes['backchannel.logout.url']],
      ['get', /http:\/\/localhost:18080\/oidc\/main\/jwks/.exec(page)?.[0]],
    ] as const) {
      expect(new URL(url).origin).to.equal(origin)
      const pattern = new URL(url).pathname.replace('/main/', '/:provider/')
      const kind = `oidc.${pattern.split('/').at(-1)}`
      expect(served).to.include(`${method} ${pattern} ${kind}`)
    }
    expect(new URL(attributes['post.logout.redirect.uris']).pathname).to.equal('/app')
  })

  it('puts the roles where the gateway looks for them', () => {
    const [{ config }] = client.protocolMappers
    const found = settingsOf(
      { realm: () => ({ ...document, info: document.info }) as never },
      document.uri,
      'main',
    )
    expect(config).to.include({ 'claim.name': found.role_claim, 'id.token.claim': 'true' })
    expect(exported.roles.realm.map((one: { name: string }) => one.name)).to.deep.equal(
      Object.keys(found.role_mapping),
    )
  })
})

describe('docs/keycloak.md', () => {
  it('shows a realm document that a load takes without a warning', async () => {
    const { realms } = await realmsWith()
    expect((await realms.load(document))[0]?.warnings).to.deep.equal([])
  })

  it('names the client, the issuer and every address as the imported realm does', () => {
    expect(provider.client_id).to.equal(client.clientId)
    expect(new URL(provider.issuer).pathname).to.equal(`/realms/${exported.realm}`)
    const { attributes, redirectUris } = client
    const urls = [
      ...redirectUris,
      attributes['backchannel.logout.url'],
      attributes['post.logout.redirect.uris'],
    ]
    for (const url of urls) {
      expect(page.split(`\`${url}\``).length, `${url} in the table and in the steps`).to.be.above(2)
    }
  })
})
