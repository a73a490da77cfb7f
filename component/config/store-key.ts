/** `store.key`: its source, and the check that the store was created with it. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFile } from '#component/durable-file.ts'
import { messageOf } from '#component/errors.ts'
import { SecretBox } from '#component/secret-box.ts'
import type { MetaStore } from '#component/store/key-value-stores.ts'
import { type Config, ConfigError, clusterKey } from './config.ts'

/** Shortest key that cannot be guessed from a sealed value; characters. */
const leastLength = 16

const codeOf = (cause: unknown): unknown =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined

/** The key in the file; undefined when there is no file. */
function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
}

/** The key in the file, which is made unless the key follows from the configuration. */
function keptKey(folder: string, config: Config): string {
  const file = join(folder, 'store.key')
  try {
    const kept = readKey(file)
    if (kept !== undefined) return kept
    // the keys derived from it differ from those between gateways: each has its own purpose
    if (config.cluster.key !== undefined) return clusterKey(config)
    // secrets sealed with it outlive a crash, so it must
    makeFile(file, (draft) => writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`))
    return readKey(file) ?? ''
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError([`option "store.key": ${file}: ${messageOf(cause)}`], { cause })
  }
}

/**
 * The secret that everything in the store is sealed under: `store.key`; else what the file `store.key` in the folder says;
 * else `cluster.key`, from which others are derived here than there; else one that is made, and kept in the file.
 * @param folder `data_dir`; there already
 * @throws ConfigError for a key that is too short, or cannot be read or kept
 */
export function storeSecret(config: Config, folder: string): string {
  const { key } = config.store
  const secret = typeof key === 'string' ? key : keptKey(folder, config)
  if (secret.length >= leastLength) return secret
  const place = typeof key === 'string' ? '' : `${join(folder, 'store.key')}: `
  throw new ConfigError([
    `option "store.key": ${place}must have at least ${leastLength} characters and be the same on all gateways that share a store or a router`,
  ])
}

/**
 * Keeps a check value of the key in a new store, so that no other key is used afterwards.
 * @param place the store, for messages
 * @throws ConfigError for a store that is sealed under another key; ServiceError `service.error.unavailable`
 */
export async function checkStoreKey(
  meta: Pick<MetaStore, 'keep'>,
  secret: string,
  place: string,
): Promise<void> {
  const ours = new SecretBox(secret).derive('store key check').toString('base64url')
  if ((await meta.keep('store_key', ours)) === ours) return
  throw new ConfigError([
    `option "store.key": store ${place} was created with a different key. Set store.key to the original key (the former cluster.key, if that has changed), or restore the store.key file from the original data_dir.`,
  ])
}
