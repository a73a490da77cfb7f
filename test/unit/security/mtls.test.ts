/** Paths under `mtls`: which certificate lets which user pass. */
import { expect } from 'chai'
import { refusalIn } from '#component/login-refusal.ts'
import type { ClientCertificate, ClientProof } from '#component/security/client-proof.ts'
import { MtlsScheme } from '#component/security/mtls/authenticate.ts'
import { FakeLogins, outcomeOf, protectedBy, realm_uri, requestWith, userNamed } from './doubles.ts'

const refused = [401, 'service.error.unauthorized', `ClientCertificate realm="${realm_uri}"`]

const certificate: ClientCertificate = {
  fingerprint: 'ab12',
  commonNames: ['ada'],
  dns: ['api.example.com', '*.example.com'],
  uri: ['spiffe://example.com/billing'],
  expiresAt: 5000,
}

describe('a path under mtls', () => {
  let logins: FakeLogins
  let scheme: MtlsScheme
  beforeEach(() => {
    logins = new FakeLogins()
    const names = [
      'ada',
      'api.example.com',
      '*.example.com',
      'spiffe://example.com/billing',
      'ab12',
    ]
    logins.change(Object.fromEntries(names.map((name) => [name, userNamed(name)])), '')
    scheme = new MtlsScheme({ logins })
  })

  const authenticate = (
    proof: ClientProof | undefined | Promise<ClientProof | undefined>,
    object: object,
  ) =>
    scheme.authenticate(
      { ...requestWith({}), clientCertificate: () => proof },
      protectedBy('mtls', object),
    )
  const ask = (
    proof: ClientProof | undefined | Promise<ClientProof | undefined>,
    object: object = { authid: 'cn' },
  ) => outcomeOf(() => authenticate(proof, object))

  for (const [authid, user] of [
    ['cn', 'ada'],
    ['san_dns', 'api.example.com'],
    ['san_uri', 'spiffe://example.com/billing'],
    ['fingerprint', 'ab12'],
  ] as const) {
    it(`lets the user pass whom the certificate names by ${authid}`, async () => {
      const identity = await ask({ certificate }, { authid })
      expect(identity).to.deep.include({
        ...{ realm_uri, authid: user, username: user, authmethod: 'mtls', session: 'ab12' },
        ...{ authroles: ['staff', 'buyers'], groups: ['staff', 'buyers'] },
      })
      expect(identity).to.have.property('expires_at', 5000)
    })
  }

  it('knows the identity of a certificate until the realm is built anew', async () => {
    const before = await ask({ certificate })
    expect(await ask(Promise.resolve({ certificate }))).to.equal(before)
    logins.change({ ada: userNamed('ada', ['other']) }, '')
    expect(await ask({ certificate })).to.deep.include({ authroles: ['other'] })
  })

  for (const [title, proof, reason, object] of [
    ['there is no certificate', undefined, undefined],
    ['it proves nothing', { refused: 'it has expired' }, 'it has expired'],
    [
      'it names no user',
      { certificate: { ...certificate, commonNames: ['joe'] } },
      'the certificate names no user of the realm',
    ],
    [
      'it has no name of that kind',
      { certificate: { ...certificate, dns: [] } },
      'the certificate names no user of the realm',
      { authid: 'san_dns' },
    ],
    [
      'its only name of that kind is a wildcard',
      { certificate: { ...certificate, dns: ['*.example.com'] } },
      'the certificate names no user of the realm',
      { authid: 'san_dns' },
    ],
    [
      'it names several users',
      { certificate: { ...certificate, commonNames: ['ada', 'ab12'] } },
      'the certificate names several users of the realm',
    ],
    [
      'the document names no kind that there is',
      { certificate },
      'the certificate names no user of the realm',
      { authid: 'toString' },
    ],
  ] satisfies [string, ClientProof | undefined, string | undefined, object?][]) {
    it(`is closed when ${title}`, async () => {
      expect(await ask(proof, object)).to.deep.equal(refused)
      const error = await Promise.resolve()
        .then(() => authenticate(proof, object ?? { authid: 'cn' }))
        .catch((cause: unknown) => cause)
      expect(refusalIn(error)?.reason).to.equal(reason)
    })
  }

  it('is closed to a request that can have none', async () => {
    const authenticateWithout = () =>
      scheme.authenticate(requestWith({}), protectedBy('mtls', { authid: 'cn' }))
    expect(await outcomeOf(authenticateWithout)).to.deep.equal(refused)
  })
})
