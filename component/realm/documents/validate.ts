/** Validates a realm document: every issue and warning with its JSON Pointer (behaviour: Realms). */
import { pointer } from '#component/codec/json.ts'
import type { Report } from '#component/spec/report.ts'
import type { JsonSchema } from '#component/spec/rules.ts'
import { at, memberLists } from './membership.ts'
import { realm } from './realm-rules.ts'

/** The JSON Schema of what a load takes: a realm document, or a list of them. */
export const realmSchema: JsonSchema = {
  anyOf: [realm.schema, { type: 'array', items: realm.schema }],
}

/** Users, clients and resource owners are one set of users. */
function findDuplicateUsers(document: unknown, path: string, report: Report): void {
  const seen = new Map<unknown, string>()
  for (const { keys, name: nameKey } of memberLists) {
    const members = at(document, keys)
    if (!Array.isArray(members)) continue
    for (const [index, member] of members.entries()) {
      const found = at(member, [nameKey])
      const place = pointer(path, ...keys, index, nameKey)
      const first = seen.get(found)
      if (first === undefined) seen.set(found, place)
      else if (found !== undefined) report.issue(place, `another user has this name: ${first}`)
    }
  }
}

/**
 * Validates one realm document whose environment is filled in.
 * @param path JSON Pointer of the document in the loaded JSON
 */
export function validateRealm(document: unknown, path: string, report: Report): void {
  realm(document, path, report)
  findDuplicateUsers(document, path, report)
}
