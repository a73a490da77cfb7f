/** The name of this node: configured, or made once and kept, so that a restart is the same node. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** The host name as far as the alphabet of node names goes. */
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

/**
 * The node's name (behaviour: Several nodes).
 * @param folder `data_dir`, where the name is kept
 */
export function nodeName(configured: string | undefined, folder: string): string {
  if (configured !== undefined) return configured
  const file = join(folder, 'node')
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const name = `${hostPart()}-${randomBytes(3).toString('hex')}`
  writeFileSync(file, `${name}\n`)
  return name
}
