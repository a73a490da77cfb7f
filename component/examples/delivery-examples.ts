/** The examples of a delivery: whether the request that an event becomes is the expected one. */
import type { BodyCodec } from '#component/action/forward/body.ts'
import { pointer } from '#component/codec/json.ts'
import type { DeliveryPlan } from '#component/delivery/requests/plan.ts'
import { showDelivery } from '#component/delivery/requests/shown-request.ts'
import type { Issue } from '#component/errors.ts'
import { type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import { differences, shown } from './differences.ts'
import { headerProblems } from './expectations.ts'

/** What does not hold of an example; of a request only the members that are named are compared. @param path JSON Pointer of the example */
export function deliveryProblems(
  plan: DeliveryPlan,
  example: unknown,
  path: string,
  codec: BodyCodec,
): readonly Issue[] {
  const { event, expect } = mapOrEmpty(example)
  const at = pointer(path, 'expect', 'request')
  const expected = mapOrEmpty(expect).request
  const found = showDelivery(plan, event, codec)
  if ('failed' in found) return [{ path: pointer(path, 'expect'), message: found.failed }]
  const { request } = found
  if (expected === null || request === null) {
    if (expected === request) return []
    const message = request
      ? `expected no request, found ${shown(request)}`
      : 'expected a request, found none: the filter leaves the event out'
    return [{ path: at, message }]
  }
  const { headers, ...others } = mapOrEmpty(expected)
  return [
    ...Object.entries(others).flatMap(([key, value]) =>
      differences(value, (request as unknown as JsonMap)[key], pointer(at, key)),
    ),
    ...Object.entries(mapOrEmpty(headers)).flatMap(([name, value]) =>
      headerProblems(value, request.headers[name.toLowerCase()], pointer(at, 'headers', name)),
    ),
  ]
}
