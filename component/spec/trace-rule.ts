/** The rules of trace contexts: the name under which calls and publications carry them, and the options that only the gateway sets. */
import { pointer } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import { traceAttributes } from '#component/telemetry/wamp-context.ts'
import { described, dynamic, map, must, type Rule, rule } from './rules.ts'

/** A name that every language takes for an argument; `__proto__` is refused in every document. */
const namePattern = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,63}$/

const kwargs = described(
  dynamic(
    must(
      'a name of 1 to 64 letters, digits and "_" that does not begin with a digit',
      (value) => typeof value === 'string' && namePattern.test(value),
      { type: 'string', pattern: namePattern.source },
    ),
  ),
  'The name of the keyword argument that holds the trace context: a map {traceparent, tracestate}.',
)

const argument = rule(
  {
    type: ['object', 'null'],
    properties: { kwargs: kwargs.schema },
    patternProperties: { '^comment$': {} },
    additionalProperties: false,
  },
  (value, path, report) => {
    if (value === null) return
    if (!isMap(value)) return report.expected(path, 'a map {kwargs}, or null for none', value)
    for (const [key, item] of Object.entries(value)) {
      const at = pointer(path, key)
      if (key === 'kwargs') kwargs(item, at, report)
      else if (key !== 'comment') report.issue(at, 'expected kwargs, the only key of trace')
    }
  },
)

/** `null` and `{}` take away what a level above sets. An unknown key is an issue: its author expects a context that would never come. */
export const trace: Rule = dynamic(
  described(
    argument,
    'Adds the trace context of the request (W3C Trace Context) to the kwargs of calls and publications. null or {}: adds none, whatever a level above says.',
  ),
)

/** `options` of a WAMP action. */
export const wampOptions: Rule = dynamic(
  rule(map.schema, (value, path, report) => {
    map(value, path, report)
    for (const name of traceAttributes) {
      if (!isMap(value) || !Object.hasOwn(value, name)) continue
      report.warn(pointer(path, name), `only the gateway sets the option ${name}: it is not sent`)
    }
  }),
)
