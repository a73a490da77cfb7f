/** How the events of a source look to a stream, and the text of some of them. */
import type { Entry, StreamedEvent } from './entry.ts'
import type { Frames } from './frames.ts'

/** An event that has no frame, and why. */
export interface Unrendered {
  readonly code: 'not_rendered' | 'too_large'
}

/** The frame of an event; `""` where it is passed over. */
export type Rendered = string | Unrendered

/** Makes frames of events. One for all streams that see the same, or one a stream. */
export interface View {
  readonly frames: Frames
  /** Whether several streams use it: then each event is rendered once for all of them. */
  readonly isShared: boolean
  /** Never throws. @param id of the frame */
  render(event: StreamedEvent, id: string): Rendered
}

/** Decides for one stream whether an event is sent. Never throws; Unrendered when it cannot decide. */
export type Filter = (event: StreamedEvent) => boolean | Unrendered

/** Where a stream stands before entries are written to it, and after. */
export interface Progress {
  /** Why the entry before has no frame: equal gaps in a row are told once. */
  readonly row: Unrendered['code'] | undefined
  /** How many events it may still be sent. */
  readonly left: number
}

/** The text of some entries. */
export interface Written extends Progress {
  readonly text: string
  /** How many events the text has. */
  readonly events: number
  /** The `seq` of the last event whose id the text has; 0: none. */
  readonly told: number
  /** The `seq` behind the last entry that is written or passed over. */
  readonly next: number
}

/** What all streams of a source share when they are written to. */
export interface Tongue {
  /** The id of a publication of this source. */
  idOf(publication_id: number): string
  /** The frame, which is made once for all streams of a shared view. */
  render(view: View, entry: Entry & { readonly event: StreamedEvent }): Rendered
  /** Takes note of gaps that are told. */
  onGap(code: string): void
}

/** The frame of a gap, of an end, or of another event that the gateway makes itself. */
export const ownFrame = (frames: Frames, event: string, data: object): string =>
  frames.event({ event, data: JSON.stringify(data) })

/** Whether the entry has an event. */
const hasEvent = (entry: Entry): entry is Entry & { readonly event: StreamedEvent } =>
  entry.event !== undefined

/**
 * Writes entries as text, until the stream has been sent all the events that it may be.
 * @param uncounted events up to this `seq` do not count: the client has seen them, or may have
 */
export function writeEntries(
  entries: Iterable<Entry>,
  view: View,
  filter: Filter | undefined,
  tongue: Tongue,
  start: Progress,
  uncounted = 0,
): Written {
  const { frames } = view
  let { row, left } = start
  let text = ''
  let events = 0
  let told = 0
  let next = 0
  for (const entry of entries) {
    if (left <= 0) break
    next = entry.seq + 1
    if (!hasEvent(entry)) {
      if (entry.gap) {
        tongue.onGap(entry.gap.code)
        text += ownFrame(frames, 'gap', entry.gap)
      }
      continue
    }
    const passes = filter ? filter(entry.event) : true
    if (passes === false) continue
    const frame = passes === true ? tongue.render(view, entry) : passes
    if (typeof frame !== 'string') {
      const { code } = frame
      if (code === row) continue
      row = code
      tongue.onGap(code)
      const id = tongue.idOf(entry.event.publication_id)
      text += ownFrame(frames, 'gap', { code, id })
    } else if (frame !== '') {
      row = undefined
      text += frame
      events += 1
      const { is_retained } = entry.event
      if (is_retained || entry.seq > uncounted) left -= 1
      if (!is_retained) told = entry.seq
    }
  }
  return { text, events, told, next, row, left }
}
