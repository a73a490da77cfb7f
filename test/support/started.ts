/** Where a gateway process listens, as it says on standard output. */

/** The first address of each listener; empty for a listener that is not there. */
export type StartedAt = Readonly<Record<'gateway' | 'admin' | 'health' | 'router', string>>

const names = ['gateway', 'admin', 'health', 'router'] as const

/**
 * The addresses in the line `ready` of a JSON log, or in lines for people; undefined until they are there.
 * @param output whatever the process has written so far
 */
export function startedAt(output: string): StartedAt | undefined {
  const ready = /^\{.*"msg":"ready"\}$/m.exec(output)?.[0]
  if (ready !== undefined) {
    const line = JSON.parse(ready) as Record<string, string | readonly string[]>
    return addresses((name) => [line[name] ?? []].flat()[0])
  }
  if (!/^router .*\n/m.test(output)) return undefined
  return addresses((name) => output.match(new RegExp(`^${name} +(\\S+)`, 'm'))?.[1])
}

const addresses = (find: (name: string) => string | undefined): StartedAt =>
  Object.fromEntries(names.map((name) => [name, find(name) ?? ''])) as StartedAt
