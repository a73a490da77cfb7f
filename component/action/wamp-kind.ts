/** What the rows of WAMP actions share. */
import { attempts } from '#component/spec/http-rules.ts'
import { dynamic, list, map } from '#component/spec/rules.ts'
import { trace, wampOptions } from '#component/spec/trace-rule.ts'
import type { FieldForm, Reach } from './kind.ts'
import type { AttemptEnd } from './watching/attempt-end.ts'

/** What calls and publications have beside their URI. */
export const wampArguments = {
  options: wampOptions,
  args: dynamic(list),
  arguments: dynamic(list),
  kwargs: dynamic(map),
  arguments_kw: dynamic(map),
  trace,
  ...attempts,
}

/** `arguments` and `arguments_kw` are other names for `args` and `kwargs`. */
export const argumentFields = {
  args: 'value',
  kwargs: 'value',
  arguments: 'value',
  arguments_kw: 'value',
} as const satisfies Readonly<Record<string, FieldForm>>

/** What the message of a peer has, for expressions. */
export const payload = ['args', 'kwargs', 'arguments', 'arguments_kw', 'details'] as const

/** The failures of the gateway's own session: a request that had one has lost it. */
const lostSession = new Set(['wamp.error.net_failure', 'service.error.unauthorized'])

function outcomeOf({ error, reason }: AttemptEnd, isReady: boolean): string {
  if (error === undefined) return 'ok'
  const { error_uri } = error
  // callees may answer with any URI; routers cancel the calls of a callee that leaves
  if (reason === undefined) return error_uri === 'wamp.error.canceled' ? 'callee_gone' : 'error'
  if (error_uri === 'wamp.error.canceled') return 'canceled'
  if (!isReady || lostSession.has(error_uri)) return 'unavailable'
  return error_uri === 'service.error.timeout' ? 'timeout' : 'error'
}

const outcomes =
  'by API, version and outcome: ok, error (an ERROR of the peer or router), callee_gone (it left during the call, or canceled it), timeout, canceled, unavailable (no session, or it was lost).'

/**
 * What a WAMP action reaches.
 * @param name of the metric
 * @param help what the metric says, without outcomes
 */
export const reachOf = (
  field: 'procedure' | 'topic',
  name: string,
  help: string,
  more: Pick<Reach, 'isSent'> & Partial<Reach>,
): Reach => ({
  by: 'wamp',
  field,
  named: undefined,
  label: field,
  nameOf: (uri) => uri,
  isGuarded: false,
  metric: { name, help: `${help}, ${outcomes}`, outcomeOf },
  importedFrom: undefined,
  ...more,
})
