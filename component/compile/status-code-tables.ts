/** Error URI ─▶ HTTP status, as it holds at each level of a document. */
import type { Issue } from '#component/errors.ts'
import { readStatus } from '#component/syntax/http-field.ts'
import type { Level } from './scope.ts'

type Table = ReadonlyMap<string, number>

/** Makes the table of a level; levels with the same literal codes share one. The check of all entries reports issues. */
export function statusCodeTables(issues: Issue[]): (level: Level) => Table {
  const literal = new WeakMap<object, Table>()
  const computed = new WeakMap<Level, Table>()
  return (level) => {
    const codes = level.maps.status_codes
    const known = literal.get(codes) ?? computed.get(level)
    if (known) return known
    const table = new Map<string, number>()
    let isLiteral = true
    for (const [uri, { value }] of codes) {
      let status = readStatus(value)
      if (status === undefined) {
        isLiteral = false
        const node = level.scope.compileEntry('status_codes', uri, issues)
        status = node?.kind === 'constant' ? readStatus(node.value) : undefined
      }
      if (status !== undefined) table.set(uri, status)
    }
    if (isLiteral) literal.set(codes, table)
    else computed.set(level, table)
    return table
  }
}
