/** The options of the section `telemetry`: distributed traces, and where they are sent. */
import { section } from './config-members.ts'
import { boolean, literal, map, mayBeAbsent, number, object, string, union } from './json-schema.ts'

const endpoint = '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$'

const secret = union([string(), object({ file: string() })])

/** Members of `telemetry`. */
export const telemetrySection = section(
  {
    traces: union([literal('off'), literal('propagate'), literal('otlp')], {
      default: 'off',
      description:
        'Distributed traces (W3C Trace Context). `off`: a forward passes `traceparent` and `tracestate` of the client on, as any field. `propagate`: every request has a trace context, which forwards pass on and the log shows; nothing is recorded. `otlp`: spans are recorded, too, and sent to `endpoint`.',
    }),
    endpoint: mayBeAbsent(
      union([string({ pattern: endpoint })], {
        title:
          'an http or https URL without credentials and query, such as "http://127.0.0.1:4318"',
        description:
          'URL of the collector that takes spans by OTLP over HTTP, without `/v1/traces`. Default: `OTEL_EXPORTER_OTLP_ENDPOINT`, else `http://127.0.0.1:4318`.',
      }),
    ),
    headers: mayBeAbsent(
      union([string(), object({ file: string() }), map(secret)], {
        title:
          'a map of names to text or {file}, the text name=value,name=value, or {file} with it',
        description:
          'Header fields of requests to the collector, such as its API key: a map of names to text or `{file: …}`, or the text `name=value,name=value` as `OTEL_EXPORTER_OTLP_HEADERS` has it, or `{file: …}` with that text.',
      }),
    ),
    sample: number({
      default: 0.05,
      minimum: 0,
      maximum: 1,
      description:
        'The share of traces that are sampled, of those that begin at this gateway; 1: all. The trace id decides, so gateways with one share agree. A parent that is believed decides for its own traces.',
    }),
    trust: union([literal('none'), literal('proxies'), literal('all')], {
      default: 'proxies',
      description:
        "Whose `traceparent` is believed: nobody's, that of requests that `gateway.trusted_proxies` send, or everybody's. Other requests begin a new trace: a client could otherwise have all its requests sampled, or write into traces of others. A proxy that is listed passes on what its clients send, unless it makes the field itself.",
    }),
    enduser: boolean({
      default: false,
      description:
        'Whether the span of a request names its user: the authid as `enduser.id`. Of a request on an open path there is none.',
    }),
    resource: map(union([string(), number(), boolean()]), {
      default: {},
      description:
        'Attributes of this gateway on every span, such as `deployment.environment.name`. They take the place of those in `OTEL_RESOURCE_ATTRIBUTES`. `service.name` is `wamp-gateway` unless it is given.',
    }),
  },
  'Distributed traces.',
)
