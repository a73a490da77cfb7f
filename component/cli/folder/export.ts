/** `export`: writes the API Specifications and realms of the gateway to a folder. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdminClient } from '#component/cli/admin-client.ts'
import { CommandError, exitCode, type Run } from '#component/cli/command.ts'
import { listOf, withoutTs } from '#component/cli/documents.ts'
import { pretty } from '#component/cli/format.ts'
import { hashOf } from '#component/replica/entry.ts'

/** File systems allow 255 bytes. */
const longestName = 200

/** The name of the file of a document: no id leads out of the folder, and none makes a hidden file. */
export function fileNameOf(id: string): string {
  const text = id
    .replace(/[^\w.-]+/g, (part) => encodeURIComponent(part.toWellFormed()))
    .replace(/^\./, '%2E')
  const name = text.length > longestName ? `${text.slice(0, longestName)}~${hashOf({ id })}` : text
  return `${name.slice(0, longestName + 20)}.json`
}

/** The name of the file of a realm: that of no API Specification. */
const realmFileNameOf = (uri: string): string => fileNameOf(uri).replace(/\.json$/, '~realm.json')

/** `export`: `[{id, file}]`; of a realm `id` is its URI. */
export const exportAll: Run = async (invocation) => {
  const folder = invocation.positionals[0] ?? ''
  const client = new AdminClient(invocation)
  const read = async (path: string, key: string, nameOf: (id: string) => string) => {
    const { body } = await client.request('GET', path)
    return listOf(body).map((document) => {
      const id = String(document[key])
      return { id, file: join(folder, nameOf(id)), document: withoutTs(document) }
    })
  }
  const written = [
    ...(await read('/api_specs', 'id', fileNameOf)),
    ...(await read('/realms', 'uri', realmFileNameOf)),
  ]
  try {
    mkdirSync(folder, { recursive: true })
    for (const { file, document } of written) writeFileSync(file, `${pretty(document)}\n`)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(exitCode.noInput, `${folder} cannot be written: ${reason}`, { cause })
  }
  return {
    value: written.map(({ id, file }) => ({ id, file })),
    text: written.map(({ file }) => `${file}\n`).join(''),
  }
}
