/** A folder of API Specifications and realms: each file holds one document. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, exitCode, type Invocation, type Result } from '#component/cli/command.ts'
import { withoutTs } from '#component/cli/documents.ts'
import type { Finding } from '#component/cli/findings.ts'
import { kindOf, readSource, type SourceFile, SyntaxFinding } from '#component/cli/source-file.ts'
import { shownRealm } from '#component/realm/documents/shown-realm.ts'
import { hashOf } from '#component/replica/entry.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { isMap, mapOrEmpty } from '#component/syntax/values.ts'

/** A document of the folder, as it would be loaded. */
export interface FolderDocument extends SourceFile {
  /** Of a realm its URI. */
  readonly id: string
  readonly isRealm: boolean
  readonly document: JsonMap
  /** Of the parts that the gateway shows: of a realm all but its secrets. Of an API Specification it is the hash that the gateway would have for it. */
  readonly hash: string
}

/** The part of a document that is compared with what the gateway shows: of a realm all but its secrets. */
export const comparable = ({
  isRealm,
  document,
}: Pick<FolderDocument, 'isRealm' | 'document'>): JsonMap =>
  isRealm ? shownRealm(document) : document

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

/** The name of a document among those of the folder: a realm and an API Specification may have one text. */
const nameOf = (id: string, isRealm: boolean): string => `${isRealm ? 'realm' : 'api_spec'} ${id}`

/** A `meta` that is no map stays for the gateway to refuse. */
function withOwner(document: JsonMap, owner: string | undefined): JsonMap {
  const { meta = {} } = document
  if (owner === undefined || !isMap(meta)) return document
  return { ...document, meta: { ...meta, managed_by: owner } }
}

/**
 * Reads the files `*.json`, `*.yaml` and `*.yml` of a folder, not those of folders in it.
 * @param owner the mark that every API Specification gets; undefined: documents stay as they are
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
      const isRealm = kindOf(source.document) === 'realm'
      const key = isRealm ? 'uri' : 'id'
      const id = mapOrEmpty(source.document)[key]
      if (typeof id !== 'string') {
        const kind = isRealm ? 'realm with a uri' : 'API Specification with an id'
        refuse(`/${key}`, `expected one ${kind}`)
        continue
      }
      const whole = nameOf(id, isRealm)
      const other = documents.get(whole)
      if (other) refuse(`/${key}`, `${other.file} declares the same ${key}`)
      const written = withoutTs(mapOrEmpty(source.document))
      const document = isRealm ? written : withOwner(written, owner)
      const hash = hashOf(comparable({ isRealm, document }))
      documents.set(whole, { ...source, id, isRealm, document, hash })
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
