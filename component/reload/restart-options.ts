/** The options that a running gateway takes over, and those that need a restart. */
import { differingOptions } from '#component/config/changed-options.ts'

/** Options that a running gateway takes over. `fail_on_refused_files` concerns nothing but a start. */
const live: ReadonlySet<string> = new Set([
  'fail_on_refused_files',
  'gateway.tls.cert',
  'gateway.tls.key',
  'log.level',
  'realms',
  'specs',
  'specs_examples',
  'watch',
])

/** The options that differ and are taken over by a start only, by name. */
export const optionsForRestart = (running: object, read: object): string[] =>
  differingOptions(running, read)
    .map(({ keys }) => keys.join('.'))
    .filter((name) => !live.has(name))
    .sort()
