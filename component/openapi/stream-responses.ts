/** The answers of an operation to a success that are streams: of events, or of progressive results. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import { isStreamType, type StreamType } from '#component/syntax/event-stream.ts'
import { essenceOf } from '#component/syntax/media-type.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { contentOf, type Responses } from './error-parts.ts'

/** How a client reads a stream. */
const told: Readonly<Record<StreamType, string>> = {
  'text/event-stream': 'Server-Sent Events, whose data is JSON.',
  'application/x-ndjson': 'One JSON object a line: `{id, event, data}`.',
}

const schemaOf = (type: string): JsonMap =>
  isStreamType(type) ? { type: 'string', description: told[type] } : {}

/**
 * The answers to a success, with those that are streams.
 * @param success as derived for an answer that is none
 */
export function withStreams(success: Responses, operation: CompiledOperation): Responses {
  const { streams, negotiated = [] } = operation
  if (streams === undefined) return success
  const plain = Object.fromEntries(
    Object.entries(success).map(([status, response]) => [status, withoutStreams(response)]),
  )
  const [first = {}] = Object.values(plain)
  if (streams.kind === 'events') {
    const { content: _empty, ...response } = first
    const content = contentOf(negotiated, schemaOf)
    return { 200: { ...response, description: 'A stream of events.', content } }
  }
  const { 204: none, 200: ok = { description: 'OK' }, ...others } = plain
  if (streams.isRaw) return { ...others, 200: { ...ok, content: contentOf(negotiated, schemaOf) } }
  const content = { ...asMap(ok.content), ...contentOf(streams.types, schemaOf) }
  return {
    ...others,
    200: { ...ok, content },
    204: none ?? { description: 'The stream is over: a client that comes back is sent nothing.' },
  }
}

const asMap = (value: unknown): JsonMap => (isMap(value) ? value : {})

/** A response without the types of streams, which do not hold for every status. */
function withoutStreams({ content, ...response }: JsonMap): JsonMap {
  const kept = Object.entries(asMap(content)).filter(([type]) => !isStreamType(essenceOf(type)))
  return kept.length > 0 ? { ...response, content: Object.fromEntries(kept) } : response
}
