/** What the admin listener serves: management, health, and for people the console or, without it, a page. */
import type Router from '@koa/router'
import type { ConsoleEvents } from '#component/wiring/console/console-events.ts'
import type { Fallback, ListenerPorts } from '#http/gateway.ts'
import { koaFallback } from '#http/management/admin.ts'
import { type PagePorts, withAdminPage } from '#http/management/admin-page.ts'
import { type ManagementPorts, managementRouter } from '#http/management/api-specs.ts'
import type { Address, HttpOptions } from '#http/options.ts'
import { withConsole } from './console.ts'
import { gatewayOriginOf } from './gateway-origin.ts'

/** Dependencies of the admin listener. */
export interface AdminPorts extends ManagementPorts, PagePorts {
  readonly options: HttpOptions
  /** Absent: there is no console. */
  readonly console?: AdminConsole | undefined
}

/** What the console gets of this node. */
export interface AdminConsole {
  readonly node: string
  readonly version: string
  readonly events: ConsoleEvents
}

/**
 * @param state the routes of health and metrics
 * @param gateway the addresses of the gateway listener, once it is open
 */
export function adminFallback(
  ports: AdminPorts,
  listener: ListenerPorts,
  state: Router,
  gateway: readonly Address[],
): Fallback {
  const { options, console } = ports
  const routes = koaFallback(listener, [managementRouter(ports), state])
  const page = withAdminPage(ports, listener, routes)
  const { grafana } = options.admin
  if (!console || !options.admin.console) return page
  const { node, version, events } = console
  const greeting = () => ({
    ...{ node, version, is_ready: ports.isReady(), problems: ports.problems() },
    ...(grafana !== undefined && { grafana }),
  })
  const gatewayOrigin = gatewayOriginOf(options.gateway, gateway)
  return withConsole({ ...ports, events, greeting, gatewayOrigin }, listener, page)
}
