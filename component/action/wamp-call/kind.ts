/** What a call is: the row of `wamp_call`. */
import { actionKind, anyInvocation } from '#component/action/kind.ts'
import { argumentFields, payload, reachOf, wampArguments } from '#component/action/wamp-kind.ts'
import { uri } from '#component/spec/http-rules.ts'
import { progressKeys } from '#component/spec/streams/stream-rules.ts'

/** The call of a procedure: one answer, or its progressive results as they come. */
export const wampCall = actionKind({
  type: 'wamp_call',
  shape: {
    keys: { procedure: uri, ...wampArguments, ...progressKeys },
    required: { procedure: 'the WAMP URI to call' },
  },
  ofInvocations: anyInvocation,
  fields: {
    procedure: 'value',
    options: 'value',
    ...argumentFields,
    progress_timeout: 'number',
    max_duration: 'number',
  },
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
