/** Reads the files of `gateway.tls` again. Each certificate for itself: one that is refused changes nothing, and the others are taken over. */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '#component/clock.ts'
import type { CertificateFiles, ClientFiles, TlsFiles } from '#component/config/tls-files.ts'
import { messageOf } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { type ClientAuthority, readClientAuthority } from '#http/tls/client-authority.ts'
import { type KeyPair, readKeyPair, validityProblem } from '#http/tls/key-pair.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'

/** A gateway that serves TLS. */
export interface TlsReloadable {
  readonly log: Pick<Log, 'error' | 'info'>
  /** What HTTPS is served with now; undefined without `gateway.tls`. */
  tls(): TlsSetup | undefined
  /** Serves HTTPS with this from now on. */
  useTls(setup: TlsSetup): void
}

/** One for a running gateway. */
export class TlsReload {
  readonly #gateway: TlsReloadable
  readonly #clock: Pick<Clock, 'now'>
  /** Why files were refused when they were last read. */
  readonly #reasons = new Map<string, string>()

  constructor(gateway: TlsReloadable, clock: Pick<Clock, 'now'>) {
    this.#gateway = gateway
    this.#clock = clock
  }

  /**
   * Takes over what can be. The list of certificates changes as soon as each of its new ones can be served.
   * @param isOperator whether refusals that have been told are told again
   */
  reload({ certificates, clients }: TlsFiles, isOperator: boolean): void {
    const served = this.#gateway.tls()
    if (served === undefined) return
    const told = new Map(isOperator ? [] : this.#reasons)
    this.#reasons.clear()
    const renewed = certificates.map((files) => this.#renewed(files, served, told))
    const found = renewed.flatMap((pair) => pair ?? [])
    const isWhole = found.length === renewed.length
    const pairs = isWhole
      ? found
      : served.pairs.map((pair) => found.find(({ file }) => file === pair.file) ?? pair)
    const authority = clients && this.#authority(clients, served, told)
    const refused = [...this.#reasons.keys()]
    const setup = { pairs, ...(authority && { clients: authority }), refused }
    if (isDeepStrictEqual(setup, served)) return
    this.#gateway.useTls(setup)
    this.#tell(setup, served)
  }

  /** The pair in the files, else the one that is served. */
  #renewed(
    files: CertificateFiles,
    served: TlsSetup,
    told: ReadonlyMap<string, string>,
  ): KeyPair | undefined {
    try {
      const pair = readKeyPair(files)
      const problem = validityProblem(pair, this.#clock.now())
      if (problem !== undefined) throw new Error(problem)
      return pair
    } catch (cause) {
      const message = 'the certificate was refused: the one before it is served on'
      this.#refuse(files.cert, messageOf(cause), message, told)
      return served.pairs.find(({ file }) => file === files.cert)
    }
  }

  #authority(
    files: ClientFiles,
    served: TlsSetup,
    told: ReadonlyMap<string, string>,
  ): ClientAuthority | undefined {
    try {
      return readClientAuthority(files)
    } catch (cause) {
      const message = 'the authorities of client certificates were refused: those before them hold'
      this.#refuse(files.ca, messageOf(cause), message, told)
      return served.clients
    }
  }

  #refuse(file: string, reason: string, message: string, told: ReadonlyMap<string, string>): void {
    this.#reasons.set(file, reason)
    if (told.get(file) !== reason) this.#gateway.log.error({ reason }, message)
  }

  #tell(setup: TlsSetup, before: TlsSetup): void {
    const { log } = this.#gateway
    for (const pair of setup.pairs) {
      if (before.pairs.some((one) => isDeepStrictEqual(one, pair))) continue
      const expires = new Date(pair.expiresAt).toISOString()
      log.info({ file: pair.file, expires }, 'the certificate is served')
    }
    if (!isDeepStrictEqual(setup.clients, before.clients)) {
      log.info('client certificates are checked by the files as they are now')
    }
  }
}
