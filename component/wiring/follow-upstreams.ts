/** The upstreams of the realms of a process, their credentials, and the checks of their targets, which one process of a gateway makes. */
import { lookup } from 'node:dns'
import { CheckedFetch } from '#component/action/checked-fetch.ts'
import { egressBy } from '#component/action/connections/egress.ts'
import type { Connections } from '#component/action/connections/upstreams.ts'
import { UpstreamCredentials } from '#component/credentials/open-credentials.ts'
import { ActiveChecks } from '#component/upstreams/active-checks.ts'
import { UpstreamTable } from '#component/upstreams/table.ts'
import type { WiringContext } from './context.ts'
import type { WorkerPorts } from './worker-ports.ts'

/** Those of one process. */
export interface FollowedUpstreams {
  readonly table: UpstreamTable
  /** What proves to them who asks. */
  readonly credentials: UpstreamCredentials
  /** Ends what goes on by itself, and the connections to authorization servers. */
  close(): Promise<void>
}

/** @param worker whether the process is one of several, of which the first one checks */
export function followUpstreams(
  {
    box,
    clock,
    config,
    log,
    node,
    users: { realms },
  }: Pick<WiringContext, 'box' | 'clock' | 'config' | 'log' | 'node' | 'users'>,
  connections: Connections,
  worker: Pick<WorkerPorts, 'workers' | 'tellHealth' | 'hearHealth' | 'tokenShare'> | undefined,
): FollowedUpstreams {
  const outside = new CheckedFetch({
    clock,
    egress: egressBy(config.egress),
  })
  const credentials = new UpstreamCredentials({
    ...{ clock, log, realms, share: worker?.tokenShare },
    fetch: outside.fetch.bind(outside),
  })
  const table = new UpstreamTable({
    ...{ clock, connections, lookup },
    openCredentials: credentials.open,
    tokenOf: (...texts) =>
      box
        .derive('sticky', ...texts)
        .toString('base64url')
        .slice(0, 22),
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
    credentials.retain(table.all.flatMap((one) => [one.credentials, one.proxyCredentials]))
    checks?.follow(table.all)
  }
  const { onChange } = realms
  realms.onChange = (uris) => {
    take()
    return onChange(uris)
  }
  take()
  return {
    ...{ table, credentials },
    close() {
      checks?.close()
      table.close()
      credentials.retain([])
      return outside.close()
    },
  }
}
