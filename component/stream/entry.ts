/** What a source gives its streams: events, and notes where events may be missing. */
import { jsonWalk, Walk } from '#component/codec/walk.ts'
import type { WatchedEvent } from '#component/wamp/session.ts'

/** `action.event` of the API Context; `arguments` and `arguments_kw` are other names of args and kwargs, for look-ups only. */
export interface StreamedEvent {
  readonly publication_id: number
  readonly topic: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  /** As the router discloses them. */
  readonly details: Readonly<Record<string, unknown>>
  readonly is_retained: boolean
}

/** Why events are missing: events of the name `gap` tell it. */
export type Gap =
  | { readonly code: 'router_lost'; readonly since: number; readonly until: number }
  | { readonly code: 'history_lost' }
  | { readonly code: 'slow'; readonly dropped: number }
  | { readonly code: 'not_rendered' | 'too_large' | 'unreadable'; readonly id: string }

/** One event or gap of a source. */
export interface Entry {
  /** The place in the order of the source: one more than that of the entry before. */
  readonly seq: number
  /** When it arrived; milliseconds since the epoch. */
  readonly at: number
  /** Bytes of the event as JSON, about. */
  readonly size: number
  readonly event: StreamedEvent | undefined
  /** Present if and only if there is no event. */
  readonly gap: Gap | undefined
}

/** The size of an entry without its payload: bytes of memory, about. */
const entrySize = 200

/** The size of an event in memory, about: that of its JSON, and what every entry takes. */
export function sizeOf({ topic, payload, details }: WatchedEvent): number {
  const walk = new Walk(jsonWalk, Number.POSITIVE_INFINITY)
  try {
    for (const part of [payload.args, payload.kwargs, details]) walk.visit(part)
  } catch {
    // nested too deep to be written: what has been counted until there
  }
  return entrySize + topic.length + Math.ceil(walk.size)
}

/** The event as expressions read it. */
export function streamedEvent(watched: WatchedEvent): StreamedEvent {
  const { publication_id, topic, payload, details, isRetained } = watched
  const { args, kwargs } = payload
  const event = { publication_id, topic, args, kwargs, details, is_retained: isRetained }
  Object.defineProperty(event, 'arguments', { value: args })
  Object.defineProperty(event, 'arguments_kw', { value: kwargs })
  return event
}
