/** A registry of its own for each test: a replica over a store in memory, a clock that stands still, documents of one route. */
import type { Clock } from '#component/clock.ts'
import { compileDocument, compilingDocument } from '#component/compile/compile-document.ts'
import type { Route } from '#component/gateway/api.ts'
import { Registry } from '#component/registry/registry.ts'
import type { RegistryPorts } from '#component/registry/registry-ports.ts'
import { Replica } from '#component/replica/replica.ts'
import type { ReplicaStore } from '#component/replica/replica-store.ts'
import type { RoutingTable } from '#component/routes/routing-table.ts'
import { runSteps } from '#component/yielding.ts'
import { managementPaths } from '#procedures/index.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'

type Ports = RegistryPorts<Route>

const compilePorts = { callTimeout: 30_000 }

/** The compiler, all at once. */
export const compileReal = (value: unknown) => compileDocument(value, compilePorts)

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

/** What a test may change: the store, the clock and the name of the node, and any port of the registry. */
interface Plan extends Partial<Omit<Ports, 'replica' | 'log'>> {
  readonly store?: ReplicaStore
  readonly clock?: Pick<Clock, 'now'>
}

const never = () => undefined

/** A started registry over the real compiler and a real replica, and what it did since it was started. */
export async function registryWith<S extends ReplicaStore = MemoryStore>(
  plan: Plan & { readonly store?: S } = {},
) {
  const { clock = { now: () => 1_000 }, node = 'node-1', yieldTurn = never, ...changes } = plan
  const store = (plan.store ?? new MemoryStore()) as S
  const tables: RoutingTable<Route>[] = []
  const events: (readonly [string, Readonly<Record<string, unknown>>])[] = []
  const logged: unknown[][] = []
  const log = {
    info: (...line: unknown[]) => void logged.push(line),
    warn: (...line: unknown[]) => void logged.push(line),
    error: (...line: unknown[]) => void logged.push(line),
  }
  const replica = new Replica({ store, clock, node, log, yieldTurn })
  await replica.start()
  const registry = new Registry<Route>({
    replica,
    node,
    log,
    yieldTurn,
    compile: (value) => runSteps(compilingDocument(value, compilePorts), yieldTurn),
    prepare: async () => undefined,
    onSwap: (table) => void tables.push(table),
    realmExists: (uri) => uri === 'com.example.test',
    publishEvent: (topic, kwargs) => void events.push([topic, kwargs]),
    managementPaths,
    ...changes,
  })
  replica.onLost = (loser, winner) => registry.tellLost(loser, winner)
  await registry.start()
  const serves = (path: string) => tables.at(-1)?.match('localhost', path, 'get')?.entry.api
  const messages = () => logged.map(([, message]) => message)
  return { registry, replica, store, tables, events, logged, messages, serves }
}
