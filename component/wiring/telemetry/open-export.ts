/** `traces: otlp`: what records spans, and what sends them. */
import { lookup } from 'node:dns'
import type { Agent } from 'node:http'
import { hostname } from 'node:os'
import { egressBy } from '#component/action/connections/egress.ts'
import { proxyAgent } from '#component/action/connections/proxy-agent.ts'
import type { Clock } from '#component/clock.ts'
import type { Config } from '#component/config/config.ts'
import type { Log } from '#component/log.ts'
import type { Families } from '#component/metrics/families.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'
import { openCollector } from '#component/telemetry/otlp/collector.ts'
import { collectorUrl } from '#component/telemetry/otlp/collector-url.ts'
import { ExportWatch } from '#component/telemetry/otlp/export-watch.ts'
import { recording } from '#component/telemetry/otlp/recording.ts'
import { resourceAttributes } from '#component/telemetry/otlp/resource.ts'
import { SpanClock } from '#component/telemetry/otlp/span-clock.ts'
import { SpanQueue } from '#component/telemetry/otlp/span-queue.ts'
import type { PropagationPorts } from '#component/telemetry/propagation.ts'
import type { Telemetry } from '#component/telemetry/telemetry.ts'
import { version } from '#component/version.ts'
import { collectorHeaders } from './collector-headers.ts'

/** The telemetry of a process. */
export interface OpenTelemetry {
  /** Undefined where traces are off. */
  readonly telemetry: Telemetry | undefined
  /** Sends the spans that are left. */
  close(): Promise<void>
}

/** What tracing depends on. */
export interface TelemetryPorts {
  readonly clock: Clock
  readonly log: Log
  /** The name of this node. */
  readonly node: string
  readonly families: Families
}

/** Undefined: the collector is connected to without a proxy. */
function agentFor(url: string, egress: Config['egress'], clock: Clock): Agent | undefined {
  const origin = readOrigin(new URL(url).origin)
  const proxy = 'problem' in origin ? undefined : egressBy(egress)(origin)
  return proxy && !('problem' in origin) ? proxyAgent(origin, proxy, { clock, lookup }) : undefined
}

/** The last spans are sent within this time; milliseconds. */
const longestFlush = 2000

/** @throws Error for a missing package, and for variables of the environment that cannot be used */
export async function openExport(
  { telemetry: options, egress }: Config,
  { clock, log, node, families }: TelemetryPorts,
  origins: PropagationPorts,
): Promise<OpenTelemetry> {
  // the exporter reads others of these variables by itself
  const environment = process.env
  const url = collectorUrl(options.endpoint, environment)
  const known = { node, version: version(), host: hostname(), pid: process.pid }
  const attributes = resourceAttributes(options.resource, environment, known)
  const agent = agentFor(url, egress, clock)
  const exportSpans = await openCollector({
    url,
    headers: collectorHeaders(options.headers),
    agent,
  })
  const watch = new ExportWatch({ clock, log, families, url })
  const queue = new SpanQueue(clock, exportSpans, watch)
  log.info({ collector: url }, 'spans are sent')
  return {
    telemetry: recording({
      ...origins,
      origin: {
        resource: { attributes },
        instrumentationScope: { name: 'wamp-gateway', version: known.version },
      },
      clock: new SpanClock(clock, () => performance.now()),
      tellsUsers: options.enduser,
      add: (span) => queue.add(span),
    }),
    close: () => queue.close(longestFlush),
  }
}
