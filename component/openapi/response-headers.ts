/** The headers of a response: those that the document declares, and those that its author describes. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { published } from './references.ts'

/** These tell of the content, or tell caches, what OpenAPI has other places for. */
const unlisted = new Set(['content-type', 'content-language', 'vary'])

/** The headers whose names are known at load; their values may be meant for those who pass security. */
export function headersOf({ on_result, path }: CompiledOperation): JsonMap | undefined {
  const names = new Set(Object.keys(on_result.headers))
  for (const { fixed, computed } of on_result.layers) {
    for (const name of Object.keys(fixed)) names.add(name)
    for (const [name] of computed) names.add(name)
  }
  if (on_result.uri !== undefined) names.add('location')
  const { deprecation, sunset } = path.headers
  const headers: Record<string, JsonMap> = {}
  for (const name of names) {
    if (unlisted.has(name)) continue
    const example = name === 'deprecation' ? deprecation : name === 'sunset' ? sunset : undefined
    headers[titled(name)] = {
      schema: { type: 'string' },
      ...(example !== undefined && { example }),
    }
  }
  return names.size > 0 && Object.keys(headers).length > 0 ? headers : undefined
}

/** `x-request-id` as `X-Request-Id`. */
const titled = (name: string): string =>
  name.replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

/** The headers of `responses` of an operation, as OpenAPI describes them. */
export function headersOfAuthor(headers: unknown): JsonMap {
  if (!isMap(headers)) return {}
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => {
      const { description, schema = { type: 'string' } } = isMap(header) ? header : {}
      return [
        name,
        { ...(typeof description === 'string' && { description }), schema: published(schema) },
      ]
    }),
  )
}
