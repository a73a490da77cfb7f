/** What a call is: the row of `wamp_call`. */
import { actionKind, anyInvocation } from '#component/action/kind.ts'
import { argumentFields, payload, reachOf, wampArguments } from '#component/action/wamp-kind.ts'
import { uri } from '#component/spec/http-rules.ts'
import { described, dynamic, integer, oneOf } from '#component/spec/rules.ts'
import { progressKeys } from '#component/spec/streams/stream-rules.ts'

/** How the body of a request follows a call (`"body": "stream"`). */
const bodyKeys = {
  chunk_bytes: described(
    dynamic(integer(4096, 1_048_576, ' of bytes')),
    'The size of each piece of a body that is streamed; bytes.',
    { default: 65_536 },
  ),
  flow: described(
    dynamic(oneOf(['none', 'results'])),
    'Whether a body that is streamed waits for the progressive results of the callee, each of which takes one piece.',
    { default: 'none' },
  ),
  window: described(
    dynamic(integer(1, 1000)),
    'With "flow": "results": how many pieces may be ahead of the last progressive result.',
    { default: 8 },
  ),
}

/** The call of a procedure: one answer, or its progressive results as they come. */
export const wampCall = actionKind({
  type: 'wamp_call',
  shape: {
    keys: { procedure: uri, ...wampArguments, ...progressKeys, ...bodyKeys },
    required: { procedure: 'the WAMP URI to call' },
  },
  ofInvocations: anyInvocation,
  fields: {
    procedure: 'value',
    options: 'value',
    ...argumentFields,
    progress_timeout: 'number',
    max_duration: 'number',
    chunk_bytes: 'known',
    flow: 'known',
    window: 'known',
  },
  takesBody: true,
  reaches: reachOf(
    'procedure',
    'gateway_wamp_call_duration_seconds',
    'Time of an attempt at a WAMP call',
    { isSent: true, isGuarded: true, importedFrom: 'x-wamp-procedure' },
  ),
  begins: 'progress',
  views: ['on_progress'],
  result: [...payload, 'request_id'],
  tokenFields: Object.keys(argumentFields),
})
