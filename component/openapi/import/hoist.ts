/** Puts the security that operations have in common where they inherit it: at the version, or at their path. */
import { canonicalJson } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'

type Changeable = Record<string, unknown>

/**
 * Takes `security` out of operations that would inherit the same one.
 * @param shared that of the version; undefined: it has none
 * @returns that of the version
 */
export function hoistSecurity(
  byPattern: Readonly<Record<string, unknown>>,
  shared: JsonMap | undefined,
): JsonMap | undefined {
  const paths = Object.values(byPattern).filter(isMap) as Changeable[]
  const all = paths.flatMap(operationsOf)
  const common = shared ?? commonOf(all)
  for (const operation of all)
    if (common !== undefined && isSame(operation.security, common)) delete operation.security
  for (const path of paths) {
    const operations = operationsOf(path)
    const [first] = operations
    if (operations.length < 2 || first?.security === undefined) continue
    const { security } = first
    if (!operations.every((operation) => isSame(operation.security, security))) continue
    path.security = security
    for (const operation of operations) delete operation.security
  }
  return common
}

const operationsOf = (path: Changeable): Changeable[] =>
  methods.flatMap((method) => (isMap(path[method]) ? [path[method] as Changeable] : []))

const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(one) === canonicalJson(other)

/** What most operations have, where several have it and all have some: one without would inherit what it has not asked for. */
function commonOf(operations: readonly Changeable[]): JsonMap | undefined {
  const counts = new Map<string, { count: number; security: JsonMap }>()
  for (const { security } of operations) {
    if (!isMap(security)) return undefined
    const key = canonicalJson(security)
    counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, security })
  }
  const [most] = [...counts.values()].sort((one, other) => other.count - one.count)
  return most !== undefined && most.count > 1 ? most.security : undefined
}
