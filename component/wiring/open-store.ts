/** Opens what a process keeps, before anything else: its folder and its store. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '#component/clock.ts'
import { type Config, ConfigError, clusterKey } from '#component/config/config.ts'
import { maskConfig } from '#component/config/mask-config.ts'
import { checkStoreKey, storeSecret } from '#component/config/store-key.ts'
import { makeFile, makeFolder } from '#component/durable-file.ts'
import { messageOf } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { refusalsToStart } from '#http/management/access.ts'

/** As the option `node`. */
const isNodeName = /^[a-z0-9-]{1,64}$/

/** The host name, with every character that node names do not allow as a hyphen. */
function hostPart(): string {
  let part = ''
  for (const character of hostname().toLowerCase().slice(0, 50)) {
    part +=
      (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9')
        ? character
        : '-'
  }
  return part || 'node'
}

/** The name of this node: the configured one, or one that is made once and kept in `data_dir`. */
function nodeName(configured: string | undefined, folder: string, log: Pick<Log, 'warn'>): string {
  if (configured !== undefined) return configured
  const file = join(folder, 'node')
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim()
    if (isNodeName.test(kept)) return kept
    // such as an empty file
    log.warn({ file }, 'the file has no name of a node: this node gets a new one')
    rmSync(file)
  }
  const name = `${hostPart()}-${randomBytes(3).toString('hex')}`
  makeFile(file, (draft) => writeFileSync(draft, `${name}\n`))
  return readFileSync(file, 'utf8').trim()
}

/**
 * Makes `data_dir`; the name of this node, which is kept there, and the key by which it knows other gateways.
 * @throws ConfigError for a configuration that must not be served
 */
export function openFolder(
  config: Config,
  log: Pick<Log, 'warn'>,
): { readonly node: string; readonly key: string } {
  const reasons = refusalsToStart(config)
  if (reasons.length > 0) throw new ConfigError(reasons)
  const key = clusterKey(config)
  const { node, data_dir } = config
  try {
    makeFolder(data_dir)
    return { node: nodeName(node, data_dir, log), key }
  } catch (cause) {
    throw new ConfigError([`option "data_dir": ${messageOf(cause)}`], { cause })
  }
}

/**
 * Opens the store of `store.url`, by default `gateway.db` in `data_dir`, under the key of {@link storeSecret}.
 * @throws ConfigError for a malformed URL, and for a key that is not that of the store; Error for a store that cannot be
 *   opened
 */
export async function openConfiguredStore(config: Config, clock: Clock, log: Log): Promise<Store> {
  const url = config.store.url ?? `sqlite:${join(config.data_dir, 'gateway.db')}`
  const place = String(maskConfig(url))
  const secret = storeSecret(config, config.data_dir)
  let store: Store | undefined
  try {
    const onWait = (message: string) => log.warn(`waiting for the store: ${message}`)
    store = await openStore(url, clock, onWait, config.store.pool)
    await checkStoreKey(store.meta, secret, place)
    return store
  } catch (cause) {
    await store?.close()
    if (cause instanceof ConfigError) throw cause
    if (cause instanceof TypeError) throw new ConfigError([cause.message], { cause })
    throw new Error(`store ${place}: ${messageOf(cause)}`, { cause })
  }
}
