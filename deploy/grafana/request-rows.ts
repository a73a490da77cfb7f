/** The rows of the dashboard on requests: of the gateway as a whole, and by API and route. */
import type { Row } from './panel.ts'

const failed = 'sum(rate(gateway_http_requests_total{@api,status=~"5.."}[@]))'

/** What to look at first. */
export const overview: Row = {
  title: 'Overview',
  panels: [
    {
      title: 'Gateways',
      description:
        'How many gateways respond to Prometheus, and how many of them are ready. Fewer ready ones: /ready of the others says what they wait for.',
      ...{ unit: 'none', kind: 'stat', width: 4 },
      queries: {
        up: 'sum(up{@})',
        ready: 'sum(gateway_ready{@})',
      },
    },
    {
      title: 'Alerts',
      description:
        'Alerts of deploy/prometheus that fire now. docs/troubleshooting.md, "An alert fires", says what to do about each.',
      ...{ unit: 'none', kind: 'stat', width: 4, bad: 1 },
      queries: {
        firing: 'count(ALERTS{alertname=~"WampGateway.+",alertstate="firing"}) or vector(0)',
      },
    },
    {
      title: 'Failed requests',
      description:
        'Part of the requests that got 500 or above. Above 5 % an alert fires: "Errors by route" says which, the log lines "a request failed" say why.',
      ...{ unit: 'percentunit', kind: 'stat', width: 4, bad: 0.05 },
      queries: {
        failed: `(${failed} or vector(0)) / sum(rate(gateway_http_requests_total{@api}[@]))`,
      },
    },
    {
      title: 'Requests',
      description:
        'Requests per second by the first digit of their status. 4: clients err, or are not logged in; 5: the gateway or something behind it fails.',
      ...{ unit: 'reqps', width: 12 },
      queries: {
        '{{class}}xx':
          'sum by (class) (label_replace(rate(gateway_http_requests_total{@api}[@]), "class", "$1", "status", "(.).."))',
      },
    },
    {
      title: 'Duration',
      description:
        'Time from the head of a request to the end of its response, of streams until their head is sent: p50, p95 and p99. If p99 rises alone, something waits now and then: pools, the event loop, a slow procedure.',
      ...{ unit: 's', width: 12 },
      queries: Object.fromEntries(
        [0.5, 0.95, 0.99].map((part) => [
          `p${part * 100}`,
          `histogram_quantile(${part}, sum by (le) (rate(gateway_http_request_duration_seconds_bucket{@api}[@])))`,
        ]),
      ),
    },
    {
      title: 'In flight',
      description:
        'Requests that are served now, and WAMP calls and publications that wait for the router. They rise when something behind the gateway gets slow, while "Requests" stays as it is.',
      ...{ unit: 'short', width: 12 },
      queries: {
        requests: 'sum(gateway_http_requests_in_flight{@})',
        calls: 'sum(gateway_wamp_calls_in_flight{@})',
      },
    },
  ],
}

/** Which API, and which route. */
export const apis: Row = {
  title: 'APIs and routes',
  panels: [
    {
      title: 'Requests by API',
      description:
        'Requests per second by API and version. An empty name: no document serves them.',
      unit: 'reqps',
      queries: {
        '{{api}} {{version}}': 'sum by (api, version) (rate(gateway_http_requests_total{@api}[@]))',
      },
    },
    {
      title: 'Failed requests by API',
      description:
        'Part of the requests of each API that got 500 or above. Above 5 % an alert fires.',
      ...{ unit: 'percentunit', bad: 0.05 },
      queries: {
        '{{api}} {{version}}':
          'sum by (api, version) (rate(gateway_http_requests_total{@api,status=~"5.."}[@])) / sum by (api, version) (rate(gateway_http_requests_total{@api}[@]))',
      },
    },
    {
      title: 'p99 by API',
      description:
        'The p99 of the response time of each API. Above a second an alert fires: compare with "Procedures" and "Upstreams" below, which say what is slow.',
      ...{ unit: 's', bad: 1 },
      queries: {
        '{{api}} {{version}}':
          'histogram_quantile(0.99, sum by (api, version, le) (rate(gateway_http_request_duration_seconds_bucket{@api}[@])))',
      },
    },
    {
      title: 'Routes',
      description:
        'The routes that are asked for now: requests per second, the part that fails, and the response time (p50, p95). Sort by a column to find the worst.',
      ...{ unit: 'reqps', kind: 'table', width: 16 },
      units: { failed: 'percentunit', p50: 's', p95: 's' },
      queries: {
        requests: 'sum by (api, version, route) (rate(gateway_http_requests_total{@api}[@])) > 0',
        failed:
          'sum by (api, version, route) (rate(gateway_http_requests_total{@api,status=~"5.."}[@])) / sum by (api, version, route) (rate(gateway_http_requests_total{@api}[@]))',
        p50: 'histogram_quantile(0.5, sum by (api, version, route, le) (rate(gateway_http_request_duration_seconds_bucket{@api}[@])))',
        p95: 'histogram_quantile(0.95, sum by (api, version, route, le) (rate(gateway_http_request_duration_seconds_bucket{@api}[@])))',
      },
    },
    {
      title: 'Responses by status',
      description:
        'Requests per second by status. Many 401 or 403: credentials or grants; 404: a path that no document has; 429: rate limits and guessing; 503: pools and overload; 502: the router is away; 504: something behind the gateway is too slow.',
      unit: 'reqps',
      queries: { '{{status}}': 'sum by (status) (rate(gateway_http_requests_total{@api}[@]))' },
    },
    {
      title: 'Errors by route',
      description:
        'Requests per second that got 500 or above, by route: the ten worst. The log lines "a request failed" say why.',
      unit: 'reqps',
      queries: {
        '{{api}} {{method}} {{route}} {{status}}':
          'topk(10, sum by (api, method, route, status) (rate(gateway_http_requests_total{@api,status=~"5.."}[@])))',
      },
    },
    {
      title: 'Refused by rate limits',
      description:
        'Requests per second that a `rate_limit` of a document refused with 429, or would refuse (log), by route and name of the limit: the ten with most. If many last, an alert fires.',
      unit: 'reqps',
      queries: {
        '{{api}} {{route}} {{limit}} ({{mode}})':
          'topk(10, sum by (api, route, limit, mode) (rate(gateway_rate_limited_total{@api}[@])))',
      },
    },
    {
      title: 'Cached responses',
      description:
        'Requests per second to routes with `cache`, by how they were served: hit, a fresh cached response; stale, an old one; miss, by the action; bypass, by the action, because the response may not be kept.',
      unit: 'reqps',
      queries: {
        '{{api}} {{how}}': 'sum by (api, how) (rate(gateway_cache_requests_total{@api}[@]))',
      },
    },
    {
      title: 'Circuits',
      description:
        'The state of circuits of a `circuit_breaker`, by target: 0 closed, 1 half-open, 2 open. While one is open its upstream or procedure is not asked, and clients are refused.',
      ...{ unit: 'none', bad: 2 },
      queries: { '{{api}} {{target}}': 'max by (api, target) (gateway_circuit_state{@api})' },
    },
    {
      title: 'Misfits with schemas',
      description:
        'Parts of requests, and responses (part "response"), that do not fit their JSON Schema. Requests: the client is at fault. Responses: the backend has changed, or the document is wrong.',
      unit: 'ops',
      queries: {
        '{{route}} {{part}} ({{mode}})':
          'sum by (route, part, mode) (rate(gateway_schema_mismatches_total{@}[@]))',
      },
    },
    {
      title: 'Time until a stream begins',
      description:
        'From the head of a request to the head of its response, of responses that are streams (p50, p95).',
      unit: 's',
      queries: {
        p50: 'histogram_quantile(0.5, sum by (le) (rate(gateway_http_first_byte_seconds_bucket{@}[@])))',
        p95: 'histogram_quantile(0.95, sum by (le) (rate(gateway_http_first_byte_seconds_bucket{@}[@])))',
      },
    },
  ],
}
