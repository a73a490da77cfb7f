/** `diff`: what a folder of API Specifications and realms has that the gateway does not have. */
import { AdminClient } from '#component/cli/admin-client.ts'
import { exitCode, type Run } from '#component/cli/command.ts'
import type { Finding } from '#component/cli/findings.ts'
import { table } from '#component/cli/table.ts'
import { canonicalJson } from '#component/codec/json.ts'
import { type Difference, differencesBetween } from '#component/codec/json-diff.ts'
import { type ChangedDocument, type Comparison, compare } from './comparison.ts'
import { comparable, ownerIn, readFolder } from './folder.ts'
import { unifiedDiff } from './patch.ts'

/** At most this many changes of one document are findings; `--format json` has all. */
const mostFindings = 100

/** Most characters of a value in a finding. */
const longestValue = 80

function shown(value: unknown): string {
  const text = canonicalJson(value)
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
}

const sentences: Readonly<Record<Difference['kind'], (change: Difference) => string>> = {
  added: () => 'added: the gateway does not have it',
  changed: ({ from }) => `changed: the gateway has ${shown(from)}`,
  removed: ({ from }) => `removed: the gateway has ${shown(from)}`,
}

function findingsOf({ source, current }: ChangedDocument): readonly Finding[] {
  const changes = differencesBetween(current, comparable(source))
  const issues = changes
    .slice(0, mostFindings)
    .map((change) => ({ path: change.path, message: sentences[change.kind](change) }))
  const more = changes.length - issues.length
  const rest = more > 0 ? [{ path: '', message: `${more} more members differ` }] : []
  return source.findings('notice', [...issues, ...rest])
}

/** The lines for people: one for each document that differs, and the number of those that do not. */
function summary({ created, changed, same, deleted, unmanaged }: Comparison): string {
  const rows = [
    ...created.map(({ id, file }) => ['created', id, file]),
    ...changed.map(({ source: { id, file } }) => ['changed', id, file]),
    ...deleted.map((id) => ['deleted', id, '']),
    ...unmanaged.map((id) => ['unmanaged', id, '']),
  ]
  const count = `same: ${same.length} of ${same.length + created.length + changed.length}\n`
  return (rows.length > 0 ? table(['', 'ID', 'FILE'], rows) : '') + count
}

/**
 * `diff`: `{created: [{id, file}], changed: [{id, file, hash, changes: [{path, kind, from, to}]}], same: [{id, file}], deleted: [id],
 * unmanaged: [id]}`; `{findings}` when the folder cannot be compared.
 */
export const diff: Run = async (invocation) => {
  const owner = ownerIn(invocation)
  const { documents, refusal } = readFolder(invocation.positionals[0] ?? '', owner)
  if (refusal) return refusal
  const comparison = await compare(new AdminClient(invocation), documents, owner)
  const { created, changed, same, deleted, unmanaged } = comparison
  const patches = invocation.isSet('patch')
    ? changed.map(({ source, current }) =>
        unifiedDiff(current, comparable(source), [`gateway/${source.id}`, source.file]),
      )
    : []
  const isSame = created.length + changed.length + deleted.length === 0
  return {
    value: {
      created: created.map(({ id, file }) => ({ id, file })),
      changed: changed.map(({ source, hash, current }) => ({
        ...{ id: source.id, file: source.file, hash },
        changes: differencesBetween(current, comparable(source)),
      })),
      same: same.map(({ id, file }) => ({ id, file })),
      ...{ deleted, unmanaged },
    },
    text: patches.join('') + summary(comparison),
    findings: [
      ...created.map(({ file }) => ({
        ...{ severity: 'notice' as const, file, path: '' },
        message: 'created: the gateway does not have the document',
      })),
      ...changed.flatMap(findingsOf),
    ],
    code: isSame ? exitCode.ok : exitCode.findings,
  }
}
