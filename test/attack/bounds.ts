/** What an attack may cost the other clients, and whether it has cost more. */
import type { Outcome } from './ordinary.ts'

/** What was measured beside one attack; memory in MB. */
export interface Measured {
  readonly outcomes: readonly Outcome[]
  readonly before: number
  readonly peak: number
  readonly after: number
  /** Did the process live? */
  readonly isRunning: boolean
  /** The longest turn of its event loop, CPU time, milliseconds; and what it may be. */
  readonly turn: number
  readonly maxTurn: number
  /** How long the attack took, and how long other work kept the event loop from a processor meanwhile; milliseconds. */
  readonly took: number
  readonly waited: number
  /** What the attacker has found. */
  readonly found: readonly string[]
}

/** The worst answer, without the time for which other work kept the gateway from a processor; milliseconds. */
const maxTime = 1000
/** How long the event loop of the gateway may run while one ordinary request waits, milliseconds. */
const maxRan = 500
/** How long ordinary requests may be refused, milliseconds. */
const maxRefused = 2000
/** How far memory may rise, and what may be left of that half a minute later; MB. */
const maxRise = 200
const maxLeft = 50

/** Figures for the report. */
export function figuresOf({ outcomes }: Pick<Measured, 'outcomes'>) {
  const took = outcomes.map((outcome) => outcome.took).sort((a, b) => a - b)
  const most = (of: (outcome: Outcome) => number) => Math.max(0, ...outcomes.map(of))
  const refused = outcomes.filter(({ status, hasRetryAfter }) => status === 503 && hasRetryAfter)
  const times = refused.map(({ sentAt }) => sentAt)
  const lost = outcomes.filter((outcome) => outcome.status !== 200 && !refused.includes(outcome))
  return {
    count: outcomes.length,
    p99: took[Math.floor(took.length * 0.99)] ?? 0,
    worst: took.at(-1) ?? 0,
    /** The worst without the time for which the gateway was kept from a processor meanwhile. */
    slowest: most((outcome) => outcome.took - outcome.waited),
    /** The longest that the event loop of the gateway ran during one of them. */
    ran: most((outcome) => outcome.ran),
    lost,
    refused: refused.length,
    /** From the first to the last refusal, milliseconds. */
    refusedFor: refused.length === 0 ? 0 : Math.max(...times) - Math.min(...times),
  }
}

/** What went beyond its bound, one sentence each. */
export function problemsOf(measured: Measured): readonly string[] {
  const { before, peak, after, isRunning, turn, maxTurn } = measured
  const { slowest, ran, lost, refusedFor } = figuresOf(measured)
  const example = lost[0]
  const found: (readonly [boolean, string])[] = [
    [!isRunning, 'the gateway has ended'],
    [
      turn > maxTurn,
      `a turn of the event loop took ${turn.toFixed(0)} ms of CPU time (${maxTurn} allowed)`,
    ],
    [slowest > maxTime, `an ordinary request took ${slowest.toFixed(0)} ms (${maxTime} allowed)`],
    [
      ran > maxRan,
      `the event loop ran for ${ran.toFixed(0)} ms during an ordinary request (${maxRan} allowed)`,
    ],
    [
      lost.length > 0,
      `${lost.length} ordinary requests were lost: ${example?.problem ?? `status ${example?.status}`}`,
    ],
    [refusedFor > maxRefused, `503 over ${refusedFor.toFixed(0)} ms (${maxRefused} allowed)`],
    [
      peak - before > maxRise,
      `memory rose by ${(peak - before).toFixed(0)} MB (${maxRise} allowed)`,
    ],
    [
      after - before > maxLeft,
      `${(after - before).toFixed(0)} MB are not given back (${maxLeft} allowed)`,
    ],
  ]
  const sentences = found.filter(([isBroken]) => isBroken).map(([, sentence]) => sentence)
  return [...sentences, ...measured.found]
}
