/** Reads a stream back into its frames, as a client would. */
import { Buffer } from 'node:buffer'
import { parseJson } from '#component/codec/json.ts'
import type { SentFrame } from '#component/explain/rehearsal.ts'
import { isMap } from '#component/syntax/values.ts'

/**
 * The frames that the gateway has written; a last one that is incomplete is left out.
 * @returns undefined where the type is not that of a stream
 */
export function framesIn(bytes: Uint8Array, type: unknown): readonly SentFrame[] | undefined {
  const text = Buffer.from(bytes).toString()
  if (type === 'text/event-stream') return text.split('\n\n').slice(0, -1).flatMap(eventIn)
  if (type === 'application/x-ndjson') return text.split('\n').slice(0, -1).flatMap(lineIn)
  return undefined
}

/** A block of Server-Sent Events; none where it holds only comments and `retry`. */
function eventIn(block: string): readonly SentFrame[] {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, Math.max(colon, 0)), line.slice(colon + 2)]
    }),
  )
  const { id, event, data } = fields
  if (data === undefined) return []
  return [
    {
      ...(id !== undefined && { id }),
      ...(event !== undefined && { event }),
      data: parseJson(data),
    },
  ]
}

/** A line of NDJSON; none where it is empty. */
function lineIn(line: string): readonly SentFrame[] {
  if (line === '') return []
  const frame = parseJson(line)
  return isMap(frame) ? [frame as unknown as SentFrame] : []
}
