/** The option `gateway.tls`: the certificates of the gateway listener, and those of its clients. */
import { array, mayBeAbsent, object, objectOrList, string } from './json-schema.ts'

const certificate = object({
  cert: string(),
  key: string(),
  hosts: mayBeAbsent(
    array(string({ pattern: '^([*][.])?[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)*$' }), { minItems: 1 }),
  ),
})

/** One certificate, a list of several, or a map that asks for client certificates, too. */
export const tlsOption = objectOrList(
  {
    cert: mayBeAbsent(
      string({ description: 'PEM file of the certificate chain; read again by a reload.' }),
    ),
    key: mayBeAbsent(
      string({ description: 'PEM file of the private key; read again by a reload.' }),
    ),
    certificates: mayBeAbsent(
      array(certificate, {
        minItems: 1,
        description:
          'In the place of cert and key, several: a list of `{cert, key, hosts}`. Each is served to clients that name one of its `hosts` (`api.example.com`, `*.example.com`), by default the DNS names in the certificate. The first is served to all others. Without client_ca, gateway.tls may be this list itself.',
      }),
    ),
    client_ca: mayBeAbsent(
      string({
        description:
          'PEM file of the authorities whose client certificates open paths with security of type `mtls` (docs/mtls.md). Clients are asked for a certificate, and served without one elsewhere. Without a certificate of its own, the gateway reads those that gateway.trusted_proxies pass on in `Client-Cert`. Its content is read again by a reload.',
      }),
    ),
    client_crl: mayBeAbsent(
      string({
        description:
          'PEM file of the revocation lists of all authorities of client_ca: certificates without a valid list of their authority are refused. Its content is read again by a reload.',
      }),
    ),
  },
  certificate,
  {
    dependentRequired: { cert: ['key'], key: ['cert'], client_crl: ['client_ca'] },
    description: 'Serve HTTPS on this listener.',
  },
)
