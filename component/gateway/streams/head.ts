/** The head of a stream: what the document declares for it, and what keeps caches and proxies from holding it back. */
import type { Context } from '#component/expression/nodes.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import { applyLayers, type Headers } from '#component/gateway/header-layers.ts'
import type { StreamHead } from '#component/gateway/stream-plan.ts'

/** Those of every stream, where the document declares no others. */
const unbuffered: Headers = {
  'cache-control': 'no-store, no-transform',
  // nginx passes on what it has at once
  'x-accel-buffering': 'no',
}

/**
 * The headers of a stream.
 * @param policy the configured CORS headers; those of the specification win
 * @throws ExpressionError
 */
export function headOf(
  { path }: CompiledOperation,
  { headers, layers }: StreamHead,
  policy: Headers,
  language: string,
  context: Context,
): Record<string, string> {
  const head = { ...policy, ...unbuffered, ...headers }
  if (path.version.languages.length > 1) head['content-language'] ??= language
  applyLayers(head, layers, context)
  return head
}
