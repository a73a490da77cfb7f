/** The certificate of `gateway.tls` and its key, as the gateway starts with them. */
import type { Clock } from '#component/clock.ts'
import type { Config } from '#component/config/config.ts'
import type { Log } from '#component/log.ts'
import { type KeyPair, readKeyPair } from '#http/key-pair.ts'

/**
 * Reads the pair; one that has expired is served all the same, and told.
 * @returns undefined without `gateway.tls`
 * @throws Error when it cannot be read
 */
export function openKeyPair(
  { gateway }: Config,
  clock: Pick<Clock, 'now'>,
  log: Pick<Log, 'warn'>,
): KeyPair | undefined {
  if (!gateway.tls) return undefined
  const pair = readKeyPair(gateway.tls)
  if (pair.expiresAt <= clock.now()) {
    const expired = new Date(pair.expiresAt).toISOString()
    log.warn({ file: gateway.tls.cert, expired }, 'the certificate of gateway.tls has expired')
  }
  return pair
}
