/** One attempt of a forward to an upstream: which of its targets get the request, one after the other. */
import {
  type ActionFields,
  errorOf,
  goesOn,
  type Outcome,
  type Run,
} from '#component/action/action.ts'
import { FieldError } from '#component/action/field-error.ts'
import type { Attempted } from '#component/action/retry.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import type { Target } from '#component/upstreams/target.ts'
import type { Upstream, Wanted } from '#component/upstreams/upstream.ts'

const noUpstream = 'the realm has no upstream of this name'
const noTarget = 'no target of the upstream can be reached now'

/** Seconds. */
const retryAfter = 1

/** Nothing was sent. */
function refused(reason: string): Attempted {
  const error = {
    ...errorOf('service.error.no_upstream_target', reason),
    ...{ status_code: 503, headers: {}, body: '', uri: '' },
  }
  const outcome: Outcome = { error, reason, effect: 'none', retryAfter }
  return { outcome, isRetriable: false }
}

/** What a request says of its target. */
export function wantedOf({ hash, group }: ActionFields, run: Run): Omit<Wanted, 'tried'> {
  return { group: textOf(group, 'group'), key: textOf(hash, 'hash') || clientOf(run) }
}

/** A text, or what may stand for one; empty where it is absent. */
function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') throw new FieldError([name], 'a text, a number or a boolean')
  return String(value)
}

/** The user of a request; its address where it has none. */
const clientOf = ({ identity, request }: Run): string =>
  identity.authmethod === 'anonymous' ? addressOf(request.peername) : identity.authid

/** @param send makes one request to a target */
export async function throughUpstream(
  upstream: Upstream | undefined,
  wanted: Omit<Wanted, 'tried'>,
  send: (target: Target) => Promise<Attempted>,
): Promise<Attempted> {
  if (upstream === undefined) return refused(noUpstream)
  const target = upstream.choose({ ...wanted, tried: [] })
  if (target === undefined) return refused(noTarget)
  target.begin()
  const attempted = await send(target).catch((error: unknown) => {
    target.end()
    throw error
  })
  const { outcome } = attempted
  // until its answer has come to its end
  const onOver = goesOn(outcome)
  if (onOver) onOver(() => target.end())
  else target.end()
  if ('result' in outcome) return attempted
  return { ...attempted, outcome: { ...outcome, target: target.id } }
}
