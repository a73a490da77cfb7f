/** The rows of the dashboard on the gateways themselves: limits, documents and other nodes, logins, the process. */
import type { Row } from './panel.ts'

/** How near the gateway is to refusing. */
export const limits: Row = {
  title: 'Pools and limits',
  panels: [
    {
      title: 'Requests that wait for a pool',
      description:
        'Requests that wait for a place in the pool of their version now. More than none all the time: the pool is too small, or the backend too slow.',
      ...{ unit: 'short', bad: 1 },
      queries: { '{{api}} {{version}}': 'sum by (api, version) (gateway_pool_waiting{@api})' },
    },
    {
      title: 'Wait for a pool',
      description:
        'How long requests waited, of those that had to: half and 95 % of them waited less.',
      unit: 's',
      queries: {
        p50: 'histogram_quantile(0.5, sum by (le) (rate(gateway_pool_wait_seconds_bucket{@api}[@])))',
        p95: 'histogram_quantile(0.95, sum by (le) (rate(gateway_pool_wait_seconds_bucket{@api}[@])))',
      },
    },
    {
      title: 'Requests refused by a pool',
      description: 'Requests per second that got 503 because the queue of the pool was full.',
      unit: 'reqps',
      queries: {
        '{{api}} {{version}}': 'sum by (api, version) (rate(gateway_pool_refused_total{@api}[@]))',
      },
    },
    {
      title: 'Used part of limits',
      description:
        'How much of each limit of the configuration is in use, of the gateway that uses most; of a limit of each address, user or session, by the one that uses most. Of a limit that all share an alert fires above 80 %; at 100 % clients are refused. `limits.replay_memory` and `limits.rate_limit_keys` may be full: the oldest events go, and the keys that were silent for longest.',
      ...{ unit: 'percentunit', bad: 0.8 },
      queries: {
        '{{limit}}': 'max by (limit) (gateway_limit_used{@} / gateway_limit{@})',
      },
    },
    {
      title: 'Refused by limits',
      description:
        'What was refused per second, by the key of the limit. Limits of one address, user or session, and `rate_limits`, are there to refuse a client that asks for too much.',
      unit: 'ops',
      queries: { '{{limit}}': 'sum by (limit) (rate(gateway_limit_refused_total{@}[@]))' },
    },
    {
      title: 'Refused because of overload',
      description:
        'Requests per second that got 503 because more are in progress than are served in time, or memory is nearly used up, by what was refused. Anything but nothing: add workers or gateways.',
      unit: 'reqps',
      queries: { '{{reason}}': 'sum by (reason) (rate(gateway_overload_shed_total{@}[@]))' },
    },
  ],
}

/** Documents, the store, and the other gateways. */
export const sync: Row = {
  title: 'Documents and other gateways',
  panels: [
    {
      title: 'Documents',
      description:
        'API Specifications on each gateway. The gateways of one router have equal numbers, but for the seconds after a load.',
      unit: 'none',
      queries: { '{{instance}}': 'gateway_registry_entries{@}' },
    },
    {
      title: 'Faults of documents and files',
      description:
        'Documents whose newest version is not served, documents of the store that are damaged, configured files that were refused: GET /registry names each. 1 while the store is away, its disk is full or fails, or it is read-only.',
      ...{ unit: 'none', bad: 1 },
      queries: {
        'not served: {{instance}}': 'gateway_registry_conflicts{@}',
        'damaged: {{instance}}': 'gateway_store_damaged_documents{@}',
        'refused files: {{instance}}': 'gateway_refused_files{@}',
        'store away: {{instance}}': 'gateway_store_away{@}',
        'disk full: {{instance}}': 'gateway_store_full{@}',
        'disk failed: {{instance}}': 'gateway_store_failed{@}',
        'read-only: {{instance}}': 'gateway_store_read_only{@}',
      },
    },
    {
      title: 'Loads',
      description: 'Loads of API Specifications within five minutes: acknowledged and refused.',
      unit: 'none',
      queries: {
        acknowledged: 'sum(increase(gateway_api_spec_loads_total{@}[5m]))',
        refused: 'sum(increase(gateway_api_spec_loads_refused_total{@}[5m]))',
      },
    },
    {
      title: 'Other nodes',
      description:
        'Nodes that each gateway receives messages from. Gateways of one router that show different numbers do not all receive the messages of each other.',
      unit: 'none',
      queries: { '{{instance}}': 'gateway_sync_peers{@}' },
    },
    {
      title: 'Age of changes of other nodes',
      description:
        'Time from a change on another node until it is live here (p50, p99). The offset of the clocks is in it.',
      ...{ unit: 's', bad: 10 },
      queries: {
        p50: 'histogram_quantile(0.5, sum by (le) (rate(gateway_sync_lag_seconds_bucket{@}[@])))',
        p99: 'histogram_quantile(0.99, sum by (le) (rate(gateway_sync_lag_seconds_bucket{@}[@])))',
      },
    },
    {
      title: 'Comparisons with other nodes',
      description:
        'Per second: digests of other nodes that differ from the own one, which is usual for seconds after a change, and exchanges by result. failed: the log says why.',
      unit: 'ops',
      queries: {
        'digests that differ: {{instance}}':
          'sum by (instance) (rate(gateway_sync_digest_mismatches_total{@}[@]))',
        'exchanges: {{result}}': 'sum by (result) (rate(gateway_sync_exchanges_total{@}[@]))',
      },
    },
    {
      title: 'Offset of clocks',
      description:
        'The median clock of the other nodes minus that of the gateway. Beyond 30 seconds it refuses loads: set the clocks by NTP.',
      unit: 's',
      queries: { '{{instance}}': 'gateway_clock_offset_seconds{@}' },
    },
  ],
}

/** Who logs in, and what verifying costs. */
export const logins: Row = {
  title: 'Logins and tokens',
  panels: [
    {
      title: 'Logins',
      description:
        'Logins per second by method and result. refused: wrong secrets, unknown users, forbidden addresses, as the lines "login refused" tell; limited: too many failed before, and nothing was tried.',
      ...{ unit: 'ops', width: 12 },
      queries: {
        '{{authmethod}} {{result}}':
          'sum by (authmethod, result) (rate(gateway_logins_total{@}[@]))',
      },
    },
    {
      title: 'Remembered credentials',
      description:
        'Part of the requests whose credentials were found verified before, by cache. A low part costs a verification for each request: many users, or tokens that live for seconds only.',
      ...{ unit: 'percentunit', width: 6 },
      queries: {
        '{{cache}}':
          'sum by (cache) (rate(gateway_token_cache_lookups_total{@,result="hit"}[@])) / sum by (cache) (rate(gateway_token_cache_lookups_total{@}[@]))',
      },
    },
    {
      title: 'Entries of these caches',
      description: 'How many credentials each cache remembers. They are bounded.',
      ...{ unit: 'short', width: 6 },
      queries: { '{{cache}}': 'sum by (cache) (gateway_token_cache_entries{@})' },
    },
    {
      title: 'Age of the keys of issuers',
      description:
        'Since when an issuer of access tokens has not confirmed its keys. Without its tokens nothing is fetched; where they come, it stays below 600 seconds unless the issuer is away. From a day on they get 503.',
      ...{ unit: 's', width: 12 },
      queries: { '{{issuer}}': 'max by (issuer) (gateway_jwks_age_seconds{@})' },
    },
    {
      title: 'Fetches of the keys of issuers',
      description:
        'Fetches of JWK Sets by issuer and result: one in ten minutes while its tokens come, and one in 30 seconds at most.',
      ...{ unit: 'short', width: 12 },
      queries: {
        '{{issuer}} {{result}}':
          'sum by (issuer, result) (increase(gateway_jwks_fetches_total{@}[@]))',
      },
    },
  ],
}

/** The processes. */
export const processes: Row = {
  title: 'Process',
  panels: [
    {
      title: 'CPU',
      description:
        'Seconds of CPU time per second, of all processes of a gateway. One process without workers cannot use much more than 1: add workers.',
      unit: 'none',
      queries: { '{{instance}}': 'rate(process_cpu_seconds_total{@}[@])' },
    },
    {
      title: 'Memory',
      description:
        'Resident memory of all processes of a gateway, and the JavaScript heap within it. If it grows for days under equal load, please report it.',
      unit: 'bytes',
      queries: {
        'resident: {{instance}}': 'process_resident_memory_bytes{@}',
        'heap: {{instance}}': 'nodejs_heap_size_used_bytes{@}',
      },
    },
    {
      title: 'Used part of the memory',
      description:
        'Of the heap limit, or of the memory of the container or machine, whichever is more. Above 85 % an alert fires; above 90 % for five seconds requests are refused.',
      ...{ unit: 'percentunit', bad: 0.85 },
      queries: { '{{instance}}': 'gateway_memory_used_ratio{@}' },
    },
    {
      title: 'Delay of the event loop',
      description:
        'The longest stall between two scrapes, and the p99 of the delay of a turn. Above 0.2 s for five seconds requests are refused.',
      ...{ unit: 's', bad: 0.2 },
      queries: {
        'longest: {{instance}}': 'nodejs_eventloop_lag_max_seconds{@}',
        'p99: {{instance}}': 'nodejs_eventloop_lag_p99_seconds{@}',
      },
    },
    {
      title: 'Garbage collection',
      description:
        'Part of the time that garbage collection takes, by kind. Much "major": the heap is nearly full.',
      unit: 'percentunit',
      queries: { '{{kind}}': 'sum by (kind) (rate(nodejs_gc_duration_seconds_sum{@}[@]))' },
    },
    {
      title: 'File descriptors',
      description:
        'Part of the file descriptors that are in use; each connection is one. Above 80 % an alert fires: raise LimitNOFILE, or ulimit -n.',
      ...{ unit: 'percentunit', bad: 0.8 },
      queries: { '{{instance}}': 'process_open_fds{@} / process_max_fds{@}' },
    },
    {
      title: 'End of the certificates',
      description:
        'When each certificate of gateway.tls ends; empty without one. Replace its files and reload the gateway before.',
      ...{ unit: 'dateTimeFromNow', kind: 'stat' },
      queries: {
        '{{certificate}} of {{instance}}': 'gateway_tls_certificate_expiry_seconds{@} * 1000',
      },
    },
    {
      title: 'Refused certificates',
      description:
        '1 for a file of gateway.tls that was refused when it was last read, 0 for the others. What was in it before is served on, until it ends.',
      ...{ unit: 'short', bad: 1 },
      queries: { '{{certificate}} of {{instance}}': 'gateway_tls_certificate_refused{@}' },
    },
    {
      title: 'Series',
      description:
        'Label sets of the metrics of requests and actions. Beyond `metrics.max_series` further ones are counted together, as `_other`: the second line.',
      unit: 'short',
      queries: {
        'series: {{instance}}': 'gateway_metrics_series{@}',
        'counted as _other per second: {{metric}}':
          'sum by (metric) (rate(gateway_metrics_overflow_total{@}[@]))',
      },
    },
    {
      title: 'Spans',
      description:
        'Spans per second that went to the collector, or were dropped because it is away or slow; empty unless `telemetry.traces` is otlp.',
      unit: 'ops',
      queries: { '{{result}}': 'sum by (result) (rate(gateway_telemetry_spans_total{@}[@]))' },
    },
  ],
}
