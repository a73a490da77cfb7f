/** `mtls` on a path: the certificate of the client names a user of the realm. */
import { type Identity, identityOf } from '#component/identity.ts'
import type { Login, Logins } from '#component/realm/logins.ts'
import type { ClientCertificate, ClientProof } from '#component/security/client-proof.ts'
import { KnownIdentities } from '#component/security/known-identities.ts'
import {
  type AlternativeScheme,
  type Protection,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'

/** The dependencies of the scheme. */
export interface MtlsPorts {
  readonly logins: Pick<Logins, 'user'>
}

/** The names by which a certificate may name its user, as `authid` of the security object says. A wildcard names nobody. */
const names: Readonly<Record<string, (certificate: ClientCertificate) => readonly string[]>> = {
  san_dns: ({ dns }) => dns.filter((name) => !name.includes('*')),
  san_uri: ({ uri }) => uri,
  cn: ({ commonNames }) => commonNames,
  fingerprint: ({ fingerprint }) => [fingerprint],
}

/** Lets a request pass as the user whom its certificate names. */
export class MtlsScheme implements AlternativeScheme {
  readonly #ports: MtlsPorts
  readonly #identities = new KnownIdentities<ClientCertificate>()

  constructor(ports: MtlsPorts) {
    this.#ports = ports
  }

  readonly isBrought: AlternativeScheme['isBrought'] = ({ certificate }) =>
    certificate !== undefined

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) => {
    const proof = request.clientCertificate?.()
    return proof instanceof Promise
      ? proof.then((proved) => this.#admit(proved, protection))
      : this.#admit(proof, protection)
  }

  #admit(proof: ClientProof | undefined, protection: Protection): Identity {
    if (proof === undefined) throw unauthorized(protection)
    if (proof.refused !== undefined) throw unauthorized(protection, proof.refused)
    const { certificate } = proof
    const logins = this.#loginsOf(certificate, protection)
    const [login, another] = logins
    if (login === undefined) {
      throw unauthorized(protection, 'the certificate names no user of the realm')
    }
    if (another !== undefined) {
      const reason = 'the certificate names several users of the realm'
      throw unauthorized(protection, reason, login.user.username)
    }
    return this.#identity(certificate, login, protection.realm_uri)
  }

  #loginsOf(
    certificate: ClientCertificate,
    { realm_uri, object: { authid } }: Protection,
  ): readonly Login[] {
    const found =
      typeof authid === 'string' && Object.hasOwn(names, authid) ? names[authid] : undefined
    const distinct = new Set(found?.(certificate))
    return [...distinct].flatMap((name) => this.#ports.logins.user(realm_uri, name) ?? [])
  }

  #identity(certificate: ClientCertificate, { user, roles }: Login, realm_uri: string): Identity {
    return this.#identities.of(certificate, user, () =>
      identityOf({
        ...{ realm_uri, user, authroles: roles, authmethod: 'mtls' },
        session: certificate.fingerprint,
        expires_at: certificate.expiresAt,
      }),
    )
  }
}
