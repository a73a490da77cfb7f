/** Writes the events of a stream as text: Server-Sent Events (HTML standard, section "Server-sent events") and NDJSON, one JSON object a line. */
import type { StreamType } from '#component/syntax/event-stream.ts'

/** One event of a stream. */
interface Frame {
  /** A text of visible ASCII; absent: the event does not move the position of the client. */
  readonly id?: string
  /** The name: a text without CR, LF and NUL; absent and empty: none. */
  readonly event?: string
  /** JSON on one line. */
  readonly data: string
}

/** How one type of stream is written. */
export interface Frames {
  event(frame: Frame): string
  /** A remark that no program reads; empty where the type has none. @param text one line */
  comment(text: string): string
  /** What keeps an idle connection from being cut. */
  readonly heartbeat: string
  /** How long the client waits before it comes back, milliseconds; empty where the type cannot tell. */
  retry(ms: number): string
  /** Moves the position of the client without an event; empty where the type cannot. @param id as of an event */
  position(id: string): string
}

const serverSentEvents: Frames = {
  event({ id, event, data }) {
    const position = id === undefined ? '' : `id: ${id}\n`
    const name = event ? `event: ${event}\n` : ''
    return `${position}${name}data: ${data}\n\n`
  },
  comment: (text) => `: ${text}\n\n`,
  heartbeat: ':\n\n',
  retry: (ms) => `retry: ${ms}\n\n`,
  // without data no event is dispatched, but the last event ID is set
  position: (id) => `id: ${id}\n\n`,
}

const newlineDelimited: Frames = {
  event({ id, event, data }) {
    const position = id === undefined ? '' : `"id":${JSON.stringify(id)},`
    const name = event ? `"event":${JSON.stringify(event)},` : ''
    return `{${position}${name}"data":${data}}\n`
  },
  comment: () => '',
  heartbeat: '\n',
  retry: () => '',
  position: () => '',
}

/** How each type of stream is written. */
export const framesOf: Readonly<Record<StreamType, Frames>> = {
  'text/event-stream': serverSentEvents,
  'application/x-ndjson': newlineDelimited,
}
