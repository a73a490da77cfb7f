/** `gateway.tls` in its three forms (one certificate, a list, a map with client certificates), and the files that they name. */

/** PEM files of one certificate. */
export interface CertificateFiles {
  /** Of the certificate chain. */
  readonly cert: string
  readonly key: string
  /** The hosts for which it is served, such as `*.example.com`; absent: those that the certificate names. */
  readonly hosts?: readonly string[]
}

/** The option as it is written. */
export type TlsOption = readonly CertificateFiles[] | TlsMap

interface TlsMap {
  readonly cert?: string
  readonly key?: string
  readonly certificates?: readonly CertificateFiles[]
  readonly client_ca?: string
  readonly client_crl?: string
}

/** The files that the option names. */
export interface TlsFiles {
  /** The first is the default; none: the listener speaks plain HTTP. */
  readonly certificates: readonly CertificateFiles[]
  /** Whom client certificates must come from; absent: none is asked for. */
  readonly clients?: ClientFiles
}

/** PEM files that judge client certificates. */
export interface ClientFiles {
  /** The certificates of the authorities. */
  readonly ca: string
  /** Their revocation lists; absent: revocation is not looked at. */
  readonly crl?: string
}

const isList = (option: TlsOption): option is readonly CertificateFiles[] => Array.isArray(option)

/** The certificates that the option names; undefined: none. */
function certificatesOf(option: TlsOption): readonly CertificateFiles[] | undefined {
  if (isList(option)) return option
  const { cert, key, certificates } = option
  return certificates ?? (cert !== undefined && key !== undefined ? [{ cert, key }] : undefined)
}

/** The files of an option without a {@link tlsProblem}; undefined without the option. */
export function tlsFilesOf(option: TlsOption | undefined): TlsFiles | undefined {
  if (option === undefined) return undefined
  const certificates = certificatesOf(option) ?? []
  if (isList(option) || option.client_ca === undefined) return { certificates }
  const { client_ca: ca, client_crl: crl } = option
  return { certificates, clients: { ca, ...(crl !== undefined && { crl }) } }
}

/** What is wrong with an option whose members are right each for itself; undefined: nothing. */
export function tlsProblem(option: TlsOption | undefined): string | undefined {
  if (option === undefined) return undefined
  const certificates = certificatesOf(option)
  if (!isList(option)) {
    const { cert, certificates: several, client_ca } = option
    if (cert !== undefined && several !== undefined) {
      return 'cert and certificates exclude each other: make cert and key one of certificates'
    }
    if (certificates === undefined && client_ca === undefined) {
      return 'cert and key, certificates, or client_ca must be given'
    }
  }
  // a certificate is known by its file: in metrics, and when it is read again
  const files = certificates?.map(({ cert }) => cert) ?? []
  const twice = files.find((file, at) => files.indexOf(file) < at)
  return twice === undefined ? undefined : `${twice} is named twice`
}

/** The paths of all of them. */
export const pathsOf = ({ certificates, clients }: TlsFiles): readonly string[] => [
  ...certificates.flatMap(({ cert, key }) => [cert, key]),
  ...(clients ? [clients.ca, clients.crl ?? []].flat() : []),
]
