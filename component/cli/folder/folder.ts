/** A folder of API Specifications: each file holds one document. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, exitCode, type Invocation, type Result } from '#component/cli/command.ts'
import { withoutTs } from '#component/cli/documents.ts'
import type { Finding } from '#component/cli/findings.ts'
import { readSource, type SourceFile, SyntaxFinding } from '#component/cli/source-file.ts'
import { hashOf } from '#component/replica/entry.ts'

import type { JsonMap } from '#component/syntax/values.ts'
import { isMap, mapOrEmpty } from '#component/syntax/values.ts'

/** A document of the folder, as it would be loaded. */
export interface FolderDocument extends SourceFile {
  readonly id: string
  readonly document: JsonMap
  /** The hash that the gateway would have for it. */
  readonly hash: string
}

/** The documents of a folder, in the order of their file names. */
export interface Folder {
  readonly documents: readonly FolderDocument[]
  /** What ends the command: files that cannot be read, or that declare no id or one of another file. */
  readonly refusal?: Result
}

/** Hidden files are left out, as a shell leaves them out. */
const isDocument = (name: string): boolean => /^[^.].*\.(json|ya?ml)$/i.test(name)

/** The value of `meta.managed_by`, the mark of an owner; undefined without one. */
export const ownerOf = (document: JsonMap): unknown => mapOrEmpty(document.meta).managed_by

/** The name of `--owner`; undefined without it. @throws CommandError for an empty one, as of a variable that is not set */
export function ownerIn(invocation: Invocation): string | undefined {
  const owner = invocation.option('owner')
  if (owner === '') throw new CommandError(exitCode.usage, '--owner: expected a name')
  return owner
}

/** A `meta` that is no map stays for the gateway to refuse. */
function withOwner(document: JsonMap, owner: string | undefined): JsonMap {
  const { meta = {} } = document
  if (owner === undefined || !isMap(meta)) return document
  return { ...document, meta: { ...meta, managed_by: owner } }
}

/**
 * Reads the files `*.json`, `*.yaml` and `*.yml` of a folder, not those of folders in it.
 * @param owner the mark that every document gets; undefined: documents stay as they are
 * @throws CommandError for a folder or a file that cannot be read
 */
export function readFolder(folder: string, owner: string | undefined): Folder {
  const documents = new Map<string, FolderDocument>()
  const findings: Finding[] = []
  let isUnreadable = false
  for (const name of filesOf(folder)) {
    try {
      const source = readSource(join(folder, name))
      const refuse = (path: string, message: string) =>
        findings.push(...source.findings('error', [{ path, message }]))
      const { id } = mapOrEmpty(source.document)
      if (typeof id !== 'string') {
        refuse('/id', 'expected one API Specification with an id')
        continue
      }
      const other = documents.get(id)
      if (other) refuse('/id', `${other.file} declares the same id`)
      const document = withOwner(withoutTs(mapOrEmpty(source.document)), owner)
      documents.set(id, { ...source, id, document, hash: hashOf(document) })
    } catch (cause) {
      if (!(cause instanceof SyntaxFinding)) throw cause
      isUnreadable = true
      findings.push(cause.finding)
    }
  }
  if (findings.length === 0) return { documents: [...documents.values()] }
  const code = isUnreadable ? exitCode.data : exitCode.findings
  return { documents: [], refusal: { value: { findings }, text: '', findings, code } }
}

function filesOf(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
    return names.filter(isDocument).sort()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(exitCode.noInput, `${folder} cannot be read: ${reason}`, { cause })
  }
}
