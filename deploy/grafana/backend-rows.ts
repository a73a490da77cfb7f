/** The rows of the dashboard on what stands behind the gateway: procedures, topics, upstreams, streams, the router. */
import type { Row } from './panel.ts'

/** WAMP calls and publications. */
export const calls: Row = {
  title: 'WAMP calls and publications',
  panels: [
    {
      title: 'Procedures',
      description:
        'The procedures that are called now: calls per second, the part that fails (an error, a timeout, no session), and the time of a call (p50, p99). A retried call counts once for each attempt. Sort by p99 to find the slow one.',
      ...{ unit: 'ops', kind: 'table', width: 16 },
      units: { failed: 'percentunit', p50: 's', p99: 's' },
      queries: {
        calls:
          'sum by (api, version, procedure) (rate(gateway_wamp_call_duration_seconds_count{@api}[@])) > 0',
        failed:
          'sum by (api, version, procedure) (rate(gateway_wamp_call_duration_seconds_count{@api,outcome=~"error|timeout|unavailable"}[@])) / sum by (api, version, procedure) (rate(gateway_wamp_call_duration_seconds_count{@api}[@]))',
        p50: 'histogram_quantile(0.5, sum by (api, version, procedure, le) (rate(gateway_wamp_call_duration_seconds_bucket{@api}[@])))',
        p99: 'histogram_quantile(0.99, sum by (api, version, procedure, le) (rate(gateway_wamp_call_duration_seconds_bucket{@api}[@])))',
      },
    },
    {
      title: 'Time spent in procedures',
      description:
        'Seconds of waiting per second, by procedure: the ten greatest. What stands on top is worth being made faster first, even if each call is fast.',
      unit: 'none',
      queries: {
        '{{procedure}}':
          'topk(10, sum by (procedure) (rate(gateway_wamp_call_duration_seconds_sum{@api}[@])))',
      },
    },
    {
      title: 'Failed calls',
      description:
        'Calls per second that did not end well, by procedure and outcome. error: the callee or the router has responded with an ERROR; timeout: too slow; canceled: the client went away; unavailable: no session with the router.',
      unit: 'ops',
      queries: {
        '{{procedure}} {{outcome}}':
          'topk(10, sum by (procedure, outcome) (rate(gateway_wamp_call_duration_seconds_count{@api,outcome!="ok"}[@])))',
      },
    },
    {
      title: 'Publications',
      description:
        'Publications per second by topic and outcome. Outcomes other than ok: the router refuses the topic, or is away.',
      unit: 'ops',
      queries: {
        '{{topic}} {{outcome}}':
          'sum by (topic, outcome) (rate(gateway_wamp_publish_duration_seconds_count{@api}[@]))',
      },
    },
    {
      title: 'p99 of publications',
      description: 'p99 of the time until a publication to a topic is acknowledged.',
      unit: 's',
      queries: {
        '{{topic}}':
          'histogram_quantile(0.99, sum by (topic, le) (rate(gateway_wamp_publish_duration_seconds_bucket{@api}[@])))',
      },
    },
  ],
}

/** What actions of type forward reach. */
export const upstreams: Row = {
  title: 'Upstreams',
  panels: [
    {
      title: 'Upstreams',
      description:
        'The upstreams that are asked now: requests per second, the part that fails (5xx, timeout, no connection), and the time until their responses begin (p50, p99).',
      ...{ unit: 'reqps', kind: 'table', width: 16 },
      units: { failed: 'percentunit', p50: 's', p99: 's' },
      queries: {
        requests:
          'sum by (api, version, upstream) (rate(gateway_upstream_request_duration_seconds_count{@api}[@])) > 0',
        failed:
          'sum by (api, version, upstream) (rate(gateway_upstream_request_duration_seconds_count{@api,outcome=~"5xx|timeout|failed"}[@])) / sum by (api, version, upstream) (rate(gateway_upstream_request_duration_seconds_count{@api}[@]))',
        p50: 'histogram_quantile(0.5, sum by (api, version, upstream, le) (rate(gateway_upstream_request_duration_seconds_bucket{@api}[@])))',
        p99: 'histogram_quantile(0.99, sum by (api, version, upstream, le) (rate(gateway_upstream_request_duration_seconds_bucket{@api}[@])))',
      },
    },
    {
      title: 'Responses of upstreams',
      description:
        'Requests per second by upstream and outcome: the class of the status, timeout, canceled (the client went away), failed (no connection, or no HTTP).',
      unit: 'reqps',
      queries: {
        '{{upstream}} {{outcome}}':
          'sum by (upstream, outcome) (rate(gateway_upstream_request_duration_seconds_count{@api}[@]))',
      },
    },
    {
      title: 'Retries',
      description:
        'Attempts per second after the first one, by the type of the action and its target. Many of them make a slow backend slower: lower `retry` of the document, or fix the backend.',
      unit: 'ops',
      queries: {
        '{{type}} {{target}}':
          'sum by (type, target) (rate(gateway_action_retries_total{@api}[@]))',
      },
    },
  ],
}

/** Answers that are streams. */
export const streams: Row = {
  title: 'Streams',
  panels: [
    {
      title: 'Open streams',
      description:
        'Streams of events that are open, by media type, and the subscriptions that they share. A fall at once: a document was replaced, credentials were revoked, or the router went away.',
      unit: 'short',
      queries: {
        '{{type}}': 'sum by (type) (gateway_streams{@})',
        subscriptions: 'sum(gateway_stream_sources{@})',
      },
    },
    {
      title: 'Streams that begin',
      description:
        'Responses per second that begin as streams, by kind: events, or the progressive results of a call.',
      unit: 'ops',
      queries: { '{{kind}}': 'sum by (kind) (rate(gateway_streams_opened_total{@api}[@]))' },
    },
    {
      title: 'Streams that end',
      description:
        'Streams per second that are over, by reason (docs/streams.md). client is usual; slow and stuck: clients do not read fast enough; failed: the call behind it.',
      unit: 'ops',
      queries: {
        '{{reason}} ({{kind}})':
          'sum by (reason, kind) (rate(gateway_streams_ended_total{@api}[@]))',
      },
    },
    {
      title: 'Events',
      description:
        'Events per second that the router has sent, that were written to clients, and that streams which came back were sent again; progressive results of calls.',
      unit: 'ops',
      queries: {
        'from the router': 'sum(rate(gateway_stream_events_total{@}[@]))',
        'to clients': 'sum(rate(gateway_stream_deliveries_total{@api}[@]))',
        'sent again': 'sum(rate(gateway_stream_replayed_total{@}[@]))',
        'progressive results': 'sum(rate(gateway_wamp_progress_total{@}[@]))',
      },
    },
    {
      title: 'From an event to its last client',
      description:
        'Time from an event to the last write of it (p50, p99). It rises with the number of clients of a topic.',
      unit: 's',
      queries: {
        p50: 'histogram_quantile(0.5, sum by (le) (rate(gateway_stream_fanout_duration_seconds_bucket{@}[@])))',
        p99: 'histogram_quantile(0.99, sum by (le) (rate(gateway_stream_fanout_duration_seconds_bucket{@}[@])))',
      },
    },
    {
      title: 'Missed events',
      description:
        'Gaps per second that clients were told of, by code, events that slow clients were not sent, and streams that were refused, by limit.',
      unit: 'ops',
      queries: {
        'gap: {{code}}': 'sum by (code) (rate(gateway_stream_gaps_total{@}[@]))',
        'dropped events': 'sum(rate(gateway_stream_dropped_total{@}[@]))',
        'refused: {{limit}}': 'sum by (limit) (rate(gateway_streams_refused_total{@}[@]))',
      },
    },
    {
      title: 'Memory of streams',
      description:
        'Bytes that wait for clients, and of events that are kept for streams that come back (`limits.replay_memory` bounds these).',
      unit: 'bytes',
      queries: {
        'waiting for clients': 'sum(gateway_stream_buffered_bytes{@})',
        'kept for replay': 'sum(gateway_stream_replay_bytes{@})',
      },
    },
  ],
}

/** Sessions with the router, and on the embedded one. */
export const router: Row = {
  title: 'The router',
  panels: [
    {
      title: "The gateways' own sessions",
      description:
        '1 while the session of a gateway in a realm is joined. At 0, calls and publications of this realm get 502: router_last_error of GET /registry has the reason.',
      unit: 'none',
      queries: {
        '{{instance}} {{realm}} ({{purpose}})': 'gateway_router_session_up{@}',
      },
    },
    {
      title: 'State of own sessions',
      description:
        'How many sessions are joined, joining, or refused by the router. refused: credentials or the realm are wrong, and waiting does not help.',
      unit: 'none',
      queries: { '{{state}}': 'sum by (state) (gateway_router_session_state{@})' },
    },
    {
      title: 'Sessions joined again',
      description:
        'How often within five minutes a session was lost and joined again. The router restarts, or something between cuts idle connections.',
      unit: 'none',
      queries: {
        '{{instance}} {{realm}}': 'increase(gateway_router_session_reconnects_total{@}[5m])',
      },
    },
    {
      title: 'Sessions',
      description:
        'Sessions of the gateways for requests, of logged-in users among them, and all sessions on the embedded router.',
      unit: 'short',
      queries: {
        'for requests': 'sum(gateway_wamp_sessions{@})',
        'on the embedded router': 'sum(gateway_router_sessions{@})',
      },
    },
    {
      title: 'Sessions of users that had to join',
      description:
        'Sessions per second that a request of a user had to wait for, by outcome. refused: the router does not let the user in; timeout: it is slow.',
      unit: 'ops',
      queries: {
        '{{outcome}}': 'sum by (outcome) (rate(gateway_session_wait_seconds_count{@}[@]))',
      },
    },
    {
      title: 'Wait for a session of a user',
      description:
        'Time that the session of a user takes to join: half and 95 % of them take less.',
      unit: 's',
      queries: {
        p50: 'histogram_quantile(0.5, sum by (le) (rate(gateway_session_wait_seconds_bucket{@}[@])))',
        p95: 'histogram_quantile(0.95, sum by (le) (rate(gateway_session_wait_seconds_bucket{@}[@])))',
      },
    },
  ],
}
