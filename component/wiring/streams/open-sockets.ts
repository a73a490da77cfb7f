/** The WebSockets of this process, with the limits of the configuration. */
import { OpenSockets, type SocketLimits } from '#component/gateway/sockets/open-sockets.ts'
import { SocketMetrics } from '#component/gateway/sockets/socket-metrics.ts'
import type { Reauthentication } from '#component/security/reauthentication.ts'
import type { WiringContext } from '#component/wiring/context.ts'

const limitKeys = ['websockets', 'websockets_per_address', 'websockets_per_identity'] as const

/** @param reauthentication judges their credentials while they are open */
export function openSocketsOf(
  {
    clock,
    config,
    families,
    usage,
  }: Pick<WiringContext, 'clock' | 'config' | 'families' | 'usage'>,
  reauthentication: Reauthentication,
): OpenSockets {
  const metrics = new SocketMetrics(families)
  const limits: SocketLimits = config.limits
  const sockets = new OpenSockets({
    ...{ clock, limits, reauthentication },
    watch: {
      opened: (path) => metrics.opened(path),
      refused(limit) {
        metrics.refused(limit)
        if (limit !== 'max_sockets') usage.refuse(`limits.${limit}`)
      },
    },
  })
  for (const key of limitKeys) {
    // 0: any number
    usage.declare(`limits.${key}`, limits[key] || undefined, () => sockets.used(key))
  }
  return sockets
}
