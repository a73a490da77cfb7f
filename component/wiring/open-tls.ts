/** The certificates of `gateway.tls`, as the gateway starts with them. */
import type { Clock } from '#component/clock.ts'
import type { Config } from '#component/config/config.ts'
import { tlsFilesOf } from '#component/config/tls-files.ts'
import type { Log } from '#component/log.ts'
import { validityProblem } from '#http/tls/key-pair.ts'
import { readTls, type TlsSetup } from '#http/tls/tls-setup.ts'

/**
 * Reads the files; a certificate that has expired is served all the same, and told.
 * @returns undefined without `gateway.tls`
 * @throws Error when one of them cannot be used
 */
export function openTls(
  { gateway }: Config,
  clock: Pick<Clock, 'now'>,
  log: Pick<Log, 'warn'>,
): TlsSetup | undefined {
  const files = tlsFilesOf(gateway.tls)
  if (files === undefined) return undefined
  const setup = readTls(files)
  for (const pair of setup.pairs) {
    const reason = validityProblem(pair, clock.now())
    if (reason !== undefined) log.warn({ reason }, 'a certificate of gateway.tls is not valid')
  }
  return setup
}
