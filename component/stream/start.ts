/** Where a stream begins: with the next event, or behind the one that its client has seen last. */
import type { RetainedRounds } from './retained.ts'
import type { Ring } from './ring.ts'
import type { Start, Wanted } from './terms.ts'

/** The id of an event: a publication and the tag of a source. */
const idForm = /^(\d{1,16})-([0-9a-f]{6})$/

/**
 * The order of the events of two publishers may differ between two subscriptions by this much: where the id is that of
 * another process, events that came so long before are sent, too. Milliseconds.
 */
const disorderMs = 1000

/** The parts of a source that decide. */
interface Origin {
  readonly tag: string
  readonly ring: Ring
  /** The id of the newest event. */
  readonly position: string
}

/**
 * Where a stream begins that joins a source now.
 * @param retained undefined: no stream has asked for retained events
 */
export function startAt(
  origin: Origin,
  retained: RetainedRounds | undefined,
  wanted: Wanted,
): Start {
  const { ring, position } = origin
  const { lastEventId, maxEvents, maxDurationMs } = wanted
  const live: Start = {
    ...{ maxEvents, maxDurationMs, position },
    ...{ from: ring.nextSeq, gap: undefined, uncounted: 0, isResumed: false },
  }
  if (lastEventId === '') return live
  const [, publication = '', tag] = idForm.exec(lastEventId) ?? []
  const publication_id = Number(publication)
  if (tag === origin.tag) {
    const from = ring.behind(publication_id) ?? retained?.behind(publication_id, ring.firstSeq)
    if (from !== undefined) return { ...live, from, position: lastEventId, isResumed: true }
  } else {
    const seen = tag === undefined ? undefined : ring.find(publication_id)
    if (seen) {
      const from = ring.since(seen.at - disorderMs)
      return { ...live, from, uncounted: seen.seq, position: undefined, isResumed: true }
    }
  }
  const gap = { code: 'history_lost' } as const
  if (wanted.hasSnapshot || ring.length === 0) return { ...live, gap }
  return { ...live, from: ring.firstSeq, gap, position: undefined }
}
