/** Tells the log of events that could not be rendered: an expression failed, and no answer can show it. */
import type { Clock } from '#component/clock.ts'
import { reportAt } from '#component/gateway/failure-report.ts'
import type { OnUnrendered } from '#component/gateway/streams/events-reply.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'

/** One line a minute about each expression: it may fail for each event of each stream. */
export function unrenderedLog(clock: Clock, log: Log): OnUnrendered {
  const throttle = new LogThrottle(clock, linePerMinute)
  return (route, error) => {
    const report = reportAt(route, error)
    if (!throttle.admits(`${report?.api_spec} ${report?.pointer} ${error.uri}`)) return
    // of a bug: expressions fail without a cause
    const { cause: err } = error
    const line = { route: route.path.pattern, ...report, ...(err !== undefined && { err }) }
    log.warn(line, 'an event could not be rendered')
  }
}
