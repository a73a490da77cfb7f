/** Metrics by the names and labels of OpenTelemetry's semantic conventions 1.45, as Prometheus writes them; others keep theirs. */
import type { Labels } from './exposition.ts'
import { other } from './place.ts'
import type { Series } from './series.ts'
import { asDeclared, type ShownBy } from './shown.ts'

/** What the conventions call a metric. */
interface Convention {
  readonly name: string
  readonly help: string
  /** Beside `gateway_api` and `gateway_api_version`. */
  labels(text: string, first: string, second: string): Labels
}

/** The value of a label for what is not told apart (semantic conventions: `_OTHER`). */
const orOther = (text: string): string => (text === other || text === '' ? '_OTHER' : text)

const isTemplate = (text: string): boolean => text.includes('{{')

/** Whether a request has failed, of the status of an answer: on the side of the server, 500 and above. */
const serverError = (status: string): Labels =>
  Number(status) >= 500 ? [['error_type', status]] : []

const failure = (outcome: string): Labels =>
  ['ok', '1xx', '2xx', '3xx'].includes(outcome) ? [] : [['error_type', outcome]]

/** The scheme, host and port of an upstream; the text of the document where an expression is in it. */
function server(upstream: string): Labels {
  const url = isTemplate(upstream) || !URL.canParse(upstream) ? undefined : new URL(upstream)
  if (!url) return [['server_address', orOther(upstream)]]
  const scheme = url.protocol.slice(0, -1)
  return [
    ['url_scheme', scheme],
    ['server_address', url.hostname],
    ['server_port', url.port || (scheme === 'https' ? '443' : '80')],
  ]
}

/** By the name that the gateway has for the metric. The outcome of a request to an upstream is a class of statuses: no convention names it. */
const conventions: Readonly<Record<string, Convention>> = {
  gateway_http_request_duration_seconds: {
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests.',
    labels: (route, method, status) => [
      ['http_request_method', orOther(method.toUpperCase())],
      ['http_route', route],
      ['http_response_status_code', status],
      ...serverError(status),
    ],
  },
  gateway_wamp_call_duration_seconds: {
    name: 'rpc_client_call_duration_seconds',
    help: 'Duration of outbound remote procedure calls: of one attempt.',
    labels: (procedure, outcome) => [
      ['rpc_system_name', 'wamp'],
      ['rpc_method', orOther(procedure)],
      ...failure(outcome),
    ],
  },
  gateway_wamp_publish_duration_seconds: {
    name: 'messaging_client_operation_duration_seconds',
    help: 'Duration of messaging operations initiated by a client: of one attempt.',
    labels: (topic, outcome) => [
      ['messaging_system', 'wamp'],
      ['messaging_operation_name', 'publish'],
      ['messaging_operation_type', 'send'],
      [`messaging_destination_${isTemplate(topic) ? 'template' : 'name'}`, orOther(topic)],
      ...failure(outcome),
    ],
  },
  gateway_upstream_request_duration_seconds: {
    name: 'http_client_request_duration_seconds',
    help: 'Duration of HTTP client requests: of one attempt, to the head of the answer.',
    labels: (upstream, outcome) => [
      ...server(upstream),
      ['gateway_outcome', outcome],
      ...failure(outcome),
    ],
  },
}

/** The same for metrics that are read when they are asked for. */
export const otelSourceNames: Readonly<Record<string, string>> = {
  gateway_http_requests_in_flight: 'http_server_active_requests',
}

const placeOf = ({ version }: Series['subject']): Labels => [
  ['gateway_api', version.api],
  ['gateway_api_version', version.label],
]

/** A metric as the conventions name it. There, requests are counted by their durations alone. */
export const asOtel: ShownBy = (plan) => {
  const convention = conventions[plan.name]
  const declared = asDeclared(plan)
  if (!convention) return declared
  const { name, help } = convention
  const labels = ({ subject, first, second }: Series): Labels => [
    ...(plan.isOfNode ? [] : placeOf(subject)),
    ...convention.labels(subject.text, String(first), String(second)),
  ]
  return declared
    .filter(({ type }) => type === 'histogram')
    .map((one) => ({ ...one, name, help, labels }))
}
