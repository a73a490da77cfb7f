/** `Vary`: which request headers an answer depends on (RFC 9110 §12.5.5). */
import type { CompiledPath, InheritedValues } from '#component/gateway/api.ts'
import { type Headers, layOver } from '#component/gateway/header-layers.ts'

/** By headers, then by `Vary`: thousands of operations share one object. */
const known = new WeakMap<Headers, Map<string, Headers>>()

/** The headers of a path with `Vary` for bodies that the gateway encodes; an upstream's answer has its own `Vary`. */
export function withVary(
  { provides }: Pick<InheritedValues, 'provides'>,
  { version, headers }: Pick<CompiledPath, 'version' | 'headers'>,
): Headers {
  const names: string[] = []
  if (provides.length > 1) names.push('Accept')
  if (version.languages.length > 1) names.push('Accept-Language')
  if (names.length === 0) return headers
  const vary = names.join(', ')
  const ofHeaders = known.get(headers) ?? new Map<string, Headers>()
  const result = ofHeaders.get(vary) ?? layOver({ vary }, headers)
  known.set(headers, ofHeaders.set(vary, result))
  return result
}
