/** What loading a realm says of the `auth` of its upstreams. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.test'
const at = '/info/upstreams/billing/auth'
const targets = [{ url: 'http://10.0.0.5:8080' }]
const secret = 'sssh-0123456789'
const client = { client_id: 'gw', token_url: 'https://id.example.com/token', client_secret: secret }
const pem = '-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----'

type Opened = Awaited<ReturnType<typeof realmsWith>>

/** The issues and warnings of a load with this `auth`. */
async function load(auth: unknown, { realms }: Pick<Opened, 'realms'>) {
  try {
    const [loaded] = await realms.load({ uri, info: { upstreams: { billing: { targets, auth } } } })
    return { issues: [], warnings: loaded?.warnings ?? [] }
  } catch (error) {
    return { issues: (error as InvalidSpecError).issues, warnings: [] }
  }
}

describe('the auth of an upstream', () => {
  for (const [what, auth] of [
    ['nothing', null],
    ['a header', { type: 'header', name: 'X-Api-Key', secret }],
    ['a header with a prefix', { type: 'header', name: 'authorization', prefix: 'Token ', secret }],
    [
      'a header with the text of a variable',
      { type: 'header', name: 'x-key', secret: { env: 'A' } },
    ],
    ['a parameter', { type: 'query', name: 'key', secret: { file: '/run/secrets/key' } }],
    ['a name and a password', { type: 'basic', username: 'gw', password: 'p:ä' }],
    ['an empty name', { type: 'basic', username: '', password: secret }],
    ['a token', { type: 'client_credentials', ...client }],
    [
      'a token with all keys',
      {
        ...{ type: 'client_credentials', issuer: 'https://id.example.com/a', client_id: 'gw' },
        ...{ private_key: { file: '/k.pem' }, client_authentication: 'private_key_jwt', ca: pem },
        ...{ scope: 'a b', audience: ['x', 'y'], resource: 'https://x.example', comment: 'old' },
      },
    ],
    [
      'a token of each user',
      {
        ...{ type: 'token_exchange', ...client, audience: 'billing', ca: { file: '/ca.pem' } },
        ...{ subject_token_type: 'urn:a:b', requested_token_type: 'urn:c:d' },
      },
    ],
  ] as const) {
    it(`loads: ${what}`, async () => {
      expect(await load(auth, await realmsWith())).to.deep.equal({ issues: [], warnings: [] })
    })
  }

  const both = 'client_secret is there, too: give only one of them'
  const absolute = 'expected an absolute URL of http or https'
  const refused: readonly (readonly [string, unknown, string, string])[] = [
    ['a text', 'Bearer x', at, 'expected a map such as {type}'],
    [
      'no type',
      {},
      `${at}/type`,
      'type is missing: expected one of header, query, basic, client_credentials, token_exchange',
    ],
    [
      'an unknown type',
      { type: 'oauth2' },
      `${at}/type`,
      'expected one of header, query, basic, client_credentials, token_exchange',
    ],
    [
      'an unknown key',
      { type: 'query', name: 'key', secret, prefix: 'x' },
      `${at}/prefix`,
      'expected one of type, name, secret',
    ],
    [
      'no name',
      { type: 'header', secret },
      `${at}/name`,
      'name is missing: expected the name of the header field',
    ],
    ['no secret', { type: 'header', name: 'x-key' }, `${at}/secret`, 'expected a secret'],
    [
      'a secret that is removed',
      { type: 'basic', username: 'gw', password: null },
      `${at}/password`,
      'expected a secret',
    ],
    [
      'no secret of a client',
      { ...client, type: 'client_credentials', client_secret: null },
      `${at}/client_secret`,
      'expected a secret, or private_key',
    ],
    [
      'an empty secret',
      { type: 'header', name: 'x-key', secret: '' },
      `${at}/secret`,
      'expected a secret',
    ],
    [
      'a secret that is a number',
      { type: 'header', name: 'x-key', secret: 7 },
      `${at}/secret`,
      'expected a secret',
    ],
    [
      'a mask that stands for nothing',
      { type: 'header', name: 'x-key', secret: '[masked]' },
      `${at}/secret`,
      '[masked] stands for the stored secret, and there is none here',
    ],
    [
      'a secret of two lines',
      { type: 'header', name: 'x-key', secret: 'a\nx-evil: 1' },
      `${at}/secret`,
      'there is a control character in column 2',
    ],
    [
      'a prefix of two lines',
      { type: 'header', name: 'x-key', prefix: 'a\r\n', secret },
      `${at}/prefix`,
      'expected a prefix: there is a control character in column 2',
    ],
    ...['Host', 'content-length', 'connection', 'proxy-authorization', 'transfer-encoding'].map(
      (name) =>
        [
          `the field ${name}`,
          { type: 'header', name, secret },
          `${at}/name`,
          'expected the name of a header field: the gateway sets this header itself: it must not be declared',
        ] as const,
    ),
    ...['X-Forwarded-For', 'via', 'cookie', 'content-type', 'client-cert'].map(
      (name) =>
        [
          `the field ${name}`,
          { type: 'header', name, secret },
          `${at}/name`,
          'expected the name of a header field: it says something else of the request',
        ] as const,
    ),
    [
      'a name with a colon',
      { type: 'basic', username: 'a:b', password: secret },
      `${at}/username`,
      'expected a text without colons and control characters',
    ],
    [
      'neither endpoint nor issuer',
      { type: 'client_credentials', client_id: 'gw', client_secret: secret },
      `${at}/token_url`,
      'token_url is missing: expected the token endpoint, or issuer',
    ],
    [
      'an endpoint and an issuer',
      { type: 'client_credentials', ...client, issuer: 'https://id.example.com' },
      `${at}/issuer`,
      'token_url is there, too: give only one of them',
    ],
    [
      'two secrets',
      { type: 'client_credentials', ...client, private_key: 'pem' },
      `${at}/private_key`,
      both,
    ],
    [
      'a way that needs the other secret',
      { type: 'client_credentials', ...client, client_authentication: 'private_key_jwt' },
      `${at}/client_authentication`,
      'private_key_jwt needs private_key, not client_secret',
    ],
    [
      'a client that proves nothing',
      { type: 'client_credentials', ...client, client_authentication: 'none' },
      `${at}/client_authentication`,
      'expected one of basic, post, private_key_jwt',
    ],
    [
      'an endpoint with a password',
      { type: 'client_credentials', ...client, token_url: 'https://a:b@id.example.com/' },
      `${at}/token_url`,
      absolute,
    ],
    [
      'an endpoint by ftp',
      { type: 'client_credentials', ...client, token_url: 'ftp://x/' },
      `${at}/token_url`,
      absolute,
    ],
    ...[
      'http://169.254.169.254/token',
      'http://metadata.google.internal/',
      'http://[fe80::1]/',
      'http://2852039166/',
    ].map(
      (token_url) =>
        [
          `the endpoint ${token_url}`,
          { type: 'client_credentials', ...client, token_url },
          `${at}/token_url`,
          'link-local and cloud-metadata addresses may not be forwarded to',
        ] as const,
    ),
    [
      'a service that is no URI',
      { type: 'token_exchange', ...client, resource: 'billing' },
      `${at}/resource`,
      'expected an absolute URI without a fragment',
    ],
    [
      'certificates that are none',
      { type: 'token_exchange', ...client, ca: 'a path' },
      `${at}/ca`,
      'expected certificates in PEM, {env: NAME} or {file: …}',
    ],
  ]
  for (const [what, auth, path, message] of refused) {
    it(`is refused: ${what}`, async () => {
      const { issues } = await load(auth, await realmsWith())
      expect(issues).to.deep.include({ path, message })
      expect(JSON.stringify(issues)).to.not.include('sssh')
    })
  }

  it('by http warns that secrets are sent in the clear', async () => {
    const auth = { type: 'client_credentials', ...client, token_url: 'http://id.internal/token' }
    const { issues, warnings } = await load(auth, await realmsWith())
    expect(issues).to.deep.equal([])
    expect(warnings).to.deep.equal([
      {
        path: `${at}/token_url`,
        message: 'by http, the secret and the tokens are sent in the clear: use https',
      },
    ])
  })

  it('keeps its secret where what was shown is loaded again, also masked', async () => {
    const opened = await realmsWith()
    await load({ type: 'header', name: 'x-key', secret }, opened)
    const stored = opened.replica.get('realm', uri)
    for (const kept of [{}, { secret: '[masked]' }]) {
      const { issues } = await load({ type: 'header', name: 'x-key', ...kept }, opened)
      expect([issues, opened.replica.get('realm', uri)]).to.deep.equal([[], stored])
    }
  })

  it('has no two secrets by one that is kept: null removes it', async () => {
    const opened = await realmsWith()
    const { client_secret, ...rest } = client
    await load({ type: 'client_credentials', ...rest, client_secret }, opened)
    const next = { type: 'client_credentials', ...rest, private_key: { file: '/k.pem' } }
    const { issues } = await load(next, opened)
    expect(issues).to.deep.equal([
      {
        path: `${at}/private_key`,
        message: 'client_secret is there or stored, too: null removes the one that is not meant',
      },
    ])
    expect((await load({ ...next, client_secret: null }, opened)).issues).to.deep.equal([])
    expect(JSON.stringify(opened.realms.realm(uri)?.info)).to.not.include('client_secret')
  })
})
