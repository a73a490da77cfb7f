/** Shortens the start by Node's compile cache; imported before all other modules. The gateway works without it, too. */
import { mkdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'

/** Keeps compiled code beside the source, for the next starts of the same user. */
const cache = join(import.meta.dirname, '../node_modules/.cache/wamp-gateway')
try {
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const { mode, uid } = statSync(cache)
  // an account that can write there decides which code runs here
  if (uid === process.getuid() && (mode & 0o022) === 0) module.enableCompileCache(cache)
} catch {
  // the folder of the program is read-only
}
