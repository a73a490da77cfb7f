/** What serves the policies: the other half of the rows in `kinds.ts`. */
import type { MetricSources } from '#component/metrics/source.ts'
import { cache } from './cache/serve.ts'
import { circuitBreaker } from './circuit-breaker/serve.ts'
import { compress } from './compress/serve.ts'
import { etag } from './etag/serve.ts'
import { idempotency } from './idempotency/serve.ts'
import { limits } from './limits/serve.ts'
import { ranges } from './ranges/serve.ts'
import type { OpenedPolicy, PolicySharing, RehearsalWorld, ServedPolicy } from './serve.ts'

const rows = [compress, limits, circuitBreaker, ranges, etag, cache, idempotency] as const
type Row = (typeof rows)[number]

/** In the order in which requests meet those that stand at one place. */
export const servedPolicies: readonly Pick<Row, 'name' | 'stages'>[] = rows

/** What the stages of each policy use. */
export type PolicyPorts = {
  readonly [R in Row as R['name']]: ReturnType<R['open']>['port']
}

/** What the policies need of the process: all that one of them needs. */
type World = Row['open'] extends (world: infer W) => unknown ? W : never

/** The policies of a process. */
export interface Policies
  extends Required<Pick<OpenedPolicy, 'follow' | 'purge' | 'purgeAll' | 'usage' | 'share'>> {
  readonly ports: PolicyPorts
  readonly sources: MetricSources
  close(): Promise<void>
}

/** Makes the state of all policies. */
export function openPolicies(world: World): Policies {
  const opened = rows.map((row): readonly [string, OpenedPolicy] => [row.name, row.open(world)])
  const all = opened.map(([, policy]) => policy)
  return {
    ports: Object.fromEntries(opened.map(([name, { port }]) => [name, port])) as PolicyPorts,
    sources: sourcesOf(all),
    follow(change) {
      for (const policy of all) policy.follow?.(change)
    },
    purge(id, tags) {
      for (const policy of all) policy.purge?.(id, tags)
    },
    purgeAll() {
      for (const policy of all) policy.purgeAll?.()
    },
    async usage(versions, key) {
      const used = await Promise.all(all.map((policy) => policy.usage?.(versions, key) ?? []))
      return used.flat()
    },
    share(ports) {
      const shared = all.flatMap((policy): readonly PolicySharing[] => {
        const sharing = policy.share?.(ports)
        return sharing ? [sharing] : []
      })
      return {
        sources: sourcesOf(shared),
        start() {
          for (const sharing of shared) sharing.start()
        },
        async stop() {
          for (const sharing of shared) await sharing.stop()
        },
      }
    },
    async close() {
      for (const policy of all) await policy.close?.()
    },
  }
}

/** What the stages use where a request is only explained: those of other policies do not hold there. */
export function rehearsedPorts(world: RehearsalWorld): Partial<PolicyPorts> {
  const all: readonly ServedPolicy<string, never, unknown>[] = rows
  return Object.fromEntries(
    all.flatMap(({ name, rehearse }) => {
      const port = rehearse?.(world)
      return port === undefined ? [] : [[name, port]]
    }),
  )
}

const sourcesOf = (all: readonly { readonly sources?: MetricSources }[]): MetricSources =>
  Object.assign({}, ...all.map(({ sources }) => sources))
