/** What `mtls` is: its row. */
import { securityKind } from '#component/security/kind.ts'
import { dynamic, oneOf } from '#component/spec/rules.ts'

/** What of a client certificate names the user. */
const certificateNames = oneOf(['san_dns', 'san_uri', 'cn', 'fingerprint'])

/** The certificate of the client names a user of the realm; no challenge is registered for it. */
export const mtls = securityKind({
  type: 'mtls',
  keys: { authid: dynamic(certificateNames) },
  required: { authid: 'what of the client certificate names the user' },
  challenge: (realm) => `ClientCertificate realm=${realm}`,
  describe: () => [[{ name: 'mtls', scheme: { type: 'mutualTLS' } }]],
  imported: ({ type }) =>
    type === 'mutualTLS'
      ? {
          object: { authid: 'san_dns' },
          told: 'the DNS name in the certificate of the client is the name of its user',
        }
      : undefined,
  cost: 0,
  isSentUnasked: true,
  exampleMethod: 'mtls',
  feature: 'mtls',
  needsCertificate: true,
})
