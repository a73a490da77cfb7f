/** One attempt of a forward to an upstream: which of its targets get the request, one after the other. */
import { errorOf, type Outcome } from '#component/action/action.ts'
import type { Attempted } from '#component/action/retry.ts'
import type { Target } from '#component/upstreams/target.ts'
import type { Upstream } from '#component/upstreams/upstream.ts'

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

/** @param send makes one request to a target */
export async function throughUpstream(
  upstream: Upstream | undefined,
  send: (target: Target) => Promise<Attempted>,
): Promise<Attempted> {
  if (upstream === undefined) return refused(noUpstream)
  const target = upstream.choose({ tried: [] })
  if (target === undefined) return refused(noTarget)
  target.begin()
  const attempted = await send(target).finally(() => target.end())
  const { outcome } = attempted
  if ('result' in outcome) return attempted
  return { ...attempted, outcome: { ...outcome, target: target.settings.url } }
}
