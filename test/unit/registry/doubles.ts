/** A store that can be out of order, a clock that stands still, and documents of one route, for the tests of the registry. */

import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { RoutingTable } from '#component/gateway/routing-table.ts'
import { compileDocument } from '#component/registry/compile-document.ts'
import { Registry, type RegistryPorts } from '#component/registry/registry.ts'
import type { SpecEntry } from '#component/store/spec-store.ts'

type Ports = RegistryPorts<CompiledOperation>

/** A document with one static route for each path. */
export const document = (id: string, paths: readonly string[] = ['/x'], more: object = {}) => ({
  id,
  host: '_',
  realm_uri: 'com.example.test',
  versions: {
    '1.0': {
      base_path: '/v1',
      paths: Object.fromEntries(
        paths.map((path) => [
          path,
          {
            get: {
              action: { type: 'static', body: id },
              response: { on_result: { body: 'ok' }, on_error: { status_code: 500, body: '' } },
            },
          },
        ]),
      ),
    },
  },
  ...more,
})

/** What a promise is rejected with; undefined when it is not. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )

/** Rows in memory. */
class MemoryStore {
  readonly rows = new Map<string, SpecEntry>()
  isAway = false
  /** Puts under way at once, and the most there ever were. */
  running = 0
  mostRunning = 0

  async put(entry: SpecEntry): Promise<void> {
    this.mostRunning = Math.max(this.mostRunning, ++this.running)
    await new Promise((resolve) => setImmediate(resolve))
    this.running--
    if (this.isAway) throw new ServiceError('service.error.unavailable', 'the store is locked')
    this.rows.set(entry.id, entry)
  }

  async all(): Promise<SpecEntry[]> {
    return [...this.rows.values()].sort((a, b) => a.ts - b.ts)
  }
}

/** Pauses now and then, as a machine that has other things to do. */
let steps = 0
const breathe = () =>
  ++steps % 3 === 0 ? new Promise<void>((resolve) => setImmediate(resolve)) : undefined

/** A registry over the real compiler, and what it did. */
export function registryWith(changes: Partial<Ports> = {}) {
  const store = new MemoryStore()
  const tables: RoutingTable<CompiledOperation>[] = []
  const events: (readonly [string, Readonly<Record<string, unknown>>])[] = []
  const logged: unknown[][] = []
  const log = {
    info: (...line: unknown[]) => void logged.push(line),
    warn: (...line: unknown[]) => void logged.push(line),
    error: (...line: unknown[]) => void logged.push(line),
  }
  const ports: Ports = {
    store,
    clock: { now: () => 1_000 },
    node: 'node-1',
    log,
    compile: (value) =>
      compileDocument(value, { clock: systemClock, callTimeout: 30_000, breathe }),
    breathe,
    onSwap: (table) => void tables.push(table),
    realmExists: (uri) => uri === 'com.example.test',
    publishEvent: (topic, kwargs) => void events.push([topic, kwargs]),
    sharesListener: true,
    ...changes,
  }
  const registry = new Registry<CompiledOperation>(ports)
  const serves = (path: string) => tables.at(-1)?.match('localhost', path, 'get')?.entry.api
  return { registry, store, tables, events, logged, serves, ports }
}
