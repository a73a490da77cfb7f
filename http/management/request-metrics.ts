/** The metrics of requests: by place, method and status. */
import { durationBounds } from '#component/metrics/bounds.ts'
import { Family, type SeriesStock } from '#component/metrics/family.ts'

/**
 * How many requests there were, and how long they took. They are counted at little cost: the metrics library would take longer, and
 * write the series of all routes in one step (docs/design/performance.md, "What was tried").
 */
export const requestMetrics = (families: SeriesStock): Family =>
  new Family(
    {
      name: 'gateway_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its response.',
      bounds: durationBounds,
      counter: {
        name: 'gateway_http_requests_total',
        help: 'HTTP requests by API Specification, version, route pattern, method and status.',
      },
      subject: 'route',
      labels: ['method', 'status'],
    },
    families,
  )
