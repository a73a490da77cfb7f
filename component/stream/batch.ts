/** The entries of one turn, written once for all streams that see the same. */
import { Buffer } from 'node:buffer'
import type { Entry, StreamedEvent } from './entry.ts'
import {
  type Progress,
  type Rendered,
  type Tongue,
  type View,
  type Written,
  writeEntries,
} from './view.ts'

/** The text of a whole batch as bytes. */
export interface Joined extends Written {
  readonly bytes: Buffer
}

/** Entries that streams are given together. */
export class Batch {
  readonly entries: readonly Entry[]
  /** The `seq` of the first entry. */
  readonly first: number
  /** The `seq` behind the last one. */
  readonly next: number
  readonly #tongue: Tongue
  readonly #joined = new Map<View, Map<Progress['row'], Joined>>()

  /** @param entries at least one */
  constructor(entries: readonly Entry[], tongue: Tongue) {
    this.entries = entries
    this.first = entries[0]?.seq ?? 0
    this.next = this.first + entries.length
    this.#tongue = tongue
  }

  /** All entries for a stream without a filter of its own and without a greatest number of events. */
  joined(view: View, row: Progress['row']): Joined {
    let ofView = this.#joined.get(view)
    if (ofView === undefined) {
      ofView = new Map()
      this.#joined.set(view, ofView)
    }
    const known = ofView.get(row)
    if (known) return known
    const start = { row, left: Number.POSITIVE_INFINITY }
    const written = writeEntries(this.entries, view, undefined, this.#tongue, start)
    const joined = { ...written, bytes: Buffer.from(written.text) }
    ofView.set(row, joined)
    return joined
  }

  /** The entries from a `seq` on. */
  from(seq: number): readonly Entry[] {
    return seq <= this.first ? this.entries : this.entries.slice(seq - this.first)
  }
}

/** Frames of shared views, kept while several streams may need them. */
export class FrameCache {
  #frames: Map<View, Map<Entry, Rendered>> | undefined

  /** The frame of an event, made once for a shared view. */
  render(view: View, entry: Entry & { readonly event: StreamedEvent }, id: string): Rendered {
    if (!view.isShared) return view.render(entry.event, id)
    this.#frames ??= new Map()
    let ofView = this.#frames.get(view)
    if (ofView === undefined) {
      ofView = new Map()
      this.#frames.set(view, ofView)
    }
    const known = ofView.get(entry)
    if (known !== undefined) return known
    const frame = view.render(entry.event, id)
    ofView.set(entry, frame)
    return frame
  }

  clear(): void {
    this.#frames = undefined
  }
}
