/** Which options of two configurations differ, and which of them a running gateway takes over. */
import { isDeepStrictEqual } from 'node:util'
import { isMap } from '#component/syntax/values.ts'

/** Options that a running gateway takes over. `fail_on_refused_files` concerns nothing but a start. */
const live: ReadonlySet<string> = new Set([
  'fail_on_refused_files',
  'gateway.tls.cert',
  'gateway.tls.key',
  'log.level',
  'realms',
  'specs',
  'watch',
])

/** The names of the options whose values differ; a section that only one of them has counts as one. */
function changedOptions(one: unknown, other: unknown, name = ''): string[] {
  if (!isMap(one) || !isMap(other)) return isDeepStrictEqual(one, other) ? [] : [name]
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].flatMap((key) =>
    changedOptions(one[key], other[key], name === '' ? key : `${name}.${key}`),
  )
}

/** The options that differ and are taken over by a start only, by name. */
export const optionsForRestart = (running: object, read: object): string[] =>
  changedOptions(running, read)
    .filter((name) => !live.has(name))
    .sort()
