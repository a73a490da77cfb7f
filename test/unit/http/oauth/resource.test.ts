/** The metadata of a version as what tokens are for (RFC 9728): who issues them, and where refused clients are told to look. */
import { expect } from 'chai'
import { challengeWithMetadata } from '#component/security/resource-metadata.ts'
import { resourceEndpoint } from '#http/oauth/metadata.ts'
import { bodyOf, documentOf, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'
import { protectedBy } from '#test/unit/security/doubles.ts'

const uri = 'com.example.realm'
const issuerBase = () => 'https://api.example.com'

const jwt = (issuer: string, ...scopes: string[]) => ({
  ...{ type: 'jwt', issuer },
  ...(scopes.length > 0 && { scopes }),
})
const oauth2 = { type: 'oauth2', flow: 'client_credentials' }

const get = (security: object) => ({ security, get: fixed() })

/** What the metadata of a version with these paths say. */
async function metadataOf(paths: object, version: object = {}, path = '/v1') {
  const { realms } = await realmsWith()
  const audience = ['api']
  const jwt_issuers = {
    corp: { issuer: 'https://corp.example/', audience },
    partner: { issuer: 'https://partner.example', audience },
  }
  await realms.load({ uri, authmethods: ['jwt', 'oauth2'], info: { jwt_issuers } })
  const endpoint = resourceEndpoint({ issuerBase, realms })
  const document = documentOf(paths, { realm_uri: uri }, version)
  const { ask } = serve(document, undefined, endpoint)
  return ask(`GET /.well-known/oauth-protected-resource${path}`)
}

describe('the metadata of a version', () => {
  it('name all issuers and scopes of its paths and operations, each once', async () => {
    const paths = {
      '/a': get(jwt('corp', 'a:read', 'b:read')),
      '/b': { get: fixed(), post: { ...fixed(), security: jwt('corp', 'b:read', 'b:write') } },
      '/c': get(jwt('partner')),
    }
    expect(bodyOf(await metadataOf(paths))).to.deep.equal({
      resource: 'https://api.example.com/v1',
      authorization_servers: ['https://corp.example/', 'https://partner.example'],
      scopes_supported: ['a:read', 'b:read', 'b:write'],
      bearer_methods_supported: ['header'],
    })
  })

  it('name the version itself where it issues tokens, beside other issuers', async () => {
    const paths = { '/a': get(oauth2), '/b': get(jwt('corp')) }
    expect(bodyOf(await metadataOf(paths))).to.deep.equal({
      resource: 'https://api.example.com/v1',
      authorization_servers: ['https://api.example.com/v1', 'https://corp.example/'],
      bearer_methods_supported: ['header'],
    })
  })

  it('leave out an issuer that the realm does not have', async () => {
    expect(bodyOf(await metadataOf({ '/a': get(jwt('gone', 'a:read')) }))).to.deep.equal({
      resource: 'https://api.example.com/v1',
      bearer_methods_supported: ['header'],
    })
  })

  it('are those of the base path that was asked for, also at the root', async () => {
    const paths = { '/a': get(jwt('corp')) }
    for (const [base_path, path] of [
      ['/:tenant/v1', '/a%20b/v1'],
      ['/', ''],
    ] as const) {
      const body = bodyOf(await metadataOf(paths, { base_path }, path))
      expect(body).to.have.property('resource', `https://api.example.com${path}`)
    }
  })

  it('may be read by pages of other origins, and kept for a minute', async () => {
    const { headers } = await metadataOf({ '/a': get(jwt('corp')) })
    expect(headers).to.include({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=60',
    })
  })
})

describe('a challenge', () => {
  const told = (
    type: 'oauth2' | 'jwt' | 'oidc' | 'basic',
    challenge: unknown = 'Bearer realm="x"',
  ) => challengeWithMetadata(challenge, protectedBy(type), 'https://api.example.com/sub', '/v1')

  it('names the metadata where tokens of issuers pass, and nowhere else', () => {
    const whole =
      'Bearer realm="x", resource_metadata="https://api.example.com/sub/.well-known/oauth-protected-resource/v1"'
    expect([told('oauth2'), told('jwt')]).to.deep.equal([whole, whole])
    expect([told('oidc'), told('basic'), told('jwt', [])]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
    expect(challengeWithMetadata('Bearer realm="x"', undefined, '', '')).to.equal(undefined)
  })
})
