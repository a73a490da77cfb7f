/** The upstreams of the realms of a process, and the checks of their targets, which one process of a gateway makes. */
import { lookup } from 'node:dns'
import type { Connections } from '#component/action/connections/upstreams.ts'
import { ActiveChecks } from '#component/upstreams/active-checks.ts'
import { UpstreamTable } from '#component/upstreams/table.ts'
import type { WiringContext } from './context.ts'
import type { WorkerPorts } from './worker-ports.ts'

/** Those of one process. */
export interface FollowedUpstreams {
  readonly table: UpstreamTable
  /** Ends what goes on by itself. */
  close(): void
}

/** @param worker whether the process is one of several, of which the first one checks */
export function followUpstreams(
  { clock, log, node, users: { realms } }: Pick<WiringContext, 'clock' | 'log' | 'node' | 'users'>,
  connections: Connections,
  worker: Pick<WorkerPorts, 'workers' | 'tellHealth' | 'hearHealth'> | undefined,
): FollowedUpstreams {
  const table = new UpstreamTable({
    ...{ clock, connections, lookup },
    onTargets: () => checks?.follow(table.all),
    openValue: (uri, name, value) =>
      realms.openSecret(uri, value, realms.secretOrigins(uri, 'upstreams', name)),
    onTurn({ realm_uri: realm, settings: { name: upstream } }, { id: target, lastError }, turn) {
      const line = { realm, upstream, target }
      if (turn === 'back') log.info(line, 'an upstream target is back')
      else log.warn({ ...line, reason: lastError }, 'an upstream target is out')
    },
  })
  const isChecking = worker === undefined || worker.workers[0] === node
  const checks = isChecking
    ? new ActiveChecks({ clock, tell: (told) => worker?.tellHealth(told) })
    : undefined
  worker?.hearHealth((told) => table.mark(told))
  const take = (): void => {
    table.take(realms.uris.flatMap((uri) => realms.realm(uri) ?? []))
    checks?.follow(table.all)
  }
  const { onChange } = realms
  realms.onChange = (uris) => {
    take()
    return onChange(uris)
  }
  take()
  return {
    table,
    close() {
      checks?.close()
      table.close()
    },
  }
}
