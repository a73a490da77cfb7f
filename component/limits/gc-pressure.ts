/** Collects the garbage that V8 does not see in time: buffers, which are outside its heap, and what remains when the process becomes quiet. */
import { Buffer } from 'node:buffer'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '#component/clock.ts'
import { trimMalloc } from './malloc-trim.ts'
import type { Quota } from './quota.ts'

/** Young objects; all; all, several times, after which V8 returns the free pages of its heap at once. */
type Collection = 'minor' | 'major' | 'last-resort'

type Collect = (options: {
  readonly type: 'major' | 'minor'
  readonly flavor?: 'last-resort'
}) => void

let known: Collect | undefined

/** Collects garbage. It is `gc` of `node --expose-gc`, however the process was started. */
function collectGarbage(collection: Collection): void {
  if (known === undefined) {
    setFlagsFromString('--expose-gc')
    known = runInNewContext('gc') as Collect
  }
  if (collection === 'last-resort') known({ type: 'major', flavor: collection })
  else known({ type: collection })
}

/** Milliseconds between two looks. */
const lookMs = 2_000
/** From this many bytes held at once, a collection is worth its time. */
const many = 16 * 1024 * 1024
/** At most this many bytes are held once peers are done. */
const few = 1024 * 1024
/** From this many bytes that the heap and its buffers have grown by, a full collection is worth its time. */
const grown = 32 * 1024 * 1024
/** Up to this size of both, collecting several times takes less than 200 ms. Bytes. */
const small = 256 * 1024 * 1024
/** A process that works for this part of the time makes garbage. */
const busy = 0.25
/** A process that works for at most this part of the time makes little: V8 neither collects in time nor makes its young generation smaller. */
const quiet = 0.15
/** After this many quiet looks, ten seconds, what the heap has grown by is collected. */
const looksUntilQuiet = 6
/**
 * After this many, a minute, the process counts as idle. Before that it keeps a large young generation for its next burst: V8 makes it
 * small at a collection of a quiet process, and it takes 100,000 requests that leave little behind until it is large again.
 */
const looksUntilIdle = 31

/** What {@link collectAfter} looks at and acts by; tests have others. */
export interface CollectPorts {
  readonly clock: Pick<Clock, 'after'>
  readonly collect?: typeof collectGarbage
  /** Gives memory back that is outside of the heap. */
  readonly trim?: () => void
  /** The part of the time since the last call in which the event loop worked, 0 to 1. */
  readonly utilization?: () => number
  /** Bytes of memory that the heap takes without its young generation, empty pages included, and the buffers of its objects. */
  readonly memory?: () => number
}

function utilizationOfLoop(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

function memoryOfHeap(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  const { total_physical_size, external_memory } = getHeapStatistics()
  return total_physical_size - (young?.physical_space_size ?? 0) + external_memory
}

/**
 * Collects garbage so that the memory returns to the system, in two cases. Once the bytes held for peers have fallen from many to few, all
 * is collected; peers are not interrupted while much is held. Once a busy process has been quiet for ten seconds, as after the load of
 * large documents, all is collected where the heap has grown by much: V8 itself makes it no smaller as long as a few requests a second go
 * on. Once it has been quiet for a minute, young objects are. V8 returns the free pages at the look after.
 * @returns a function that stops it
 */
export function collectAfter(budget: Pick<Quota, 'takeMost'>, ports: CollectPorts): () => void {
  const { clock, collect = collectGarbage, trim = trimMalloc } = ports
  const { utilization = utilizationOfLoop(), memory = memoryOfHeap } = ports
  let most = 0
  let quietLooks = 0
  /** Whether all was collected at the last look: both in one turn of the event loop would take half as long again. */
  let isReturning = false
  let memoryBefore = memory()
  let stop = clock.after(lookMs, look)

  function look(): void {
    stop = clock.after(lookMs, look)
    const recent = budget.takeMost()
    const worked = utilization()
    if (worked >= busy) quietLooks = 0
    if (!isReturning && recent <= few && most >= many) {
      most = 0
      quietLooks = 0
      collectAll('major')
      isReturning = true
      return
    }
    most = Math.max(most, recent)
    if (isReturning) {
      isReturning = false
      collectAll('last-resort')
      trim()
    } else if (worked <= quiet) collectWhenQuiet()
  }

  function collectWhenQuiet(): void {
    quietLooks++
    if (quietLooks === looksUntilIdle - 1) collect('minor')
    else if (quietLooks === looksUntilIdle) {
      collect('minor')
      trim()
    } else if (quietLooks === looksUntilQuiet - 1) {
      // the full collection of the next look takes less time then
      if (hasGrown()) collect('minor')
    } else if (quietLooks === looksUntilQuiet) {
      if (hasGrown()) {
        isReturning = memory() <= small
        collectAll('major')
      }
      // sessions of TLS and HTTP/2 are hardly seen in the heap
      if (!isReturning) trim()
    }
  }

  const hasGrown = (): boolean => memory() - memoryBefore >= grown

  function collectAll(collection: Collection): void {
    collect(collection)
    memoryBefore = memory()
  }

  return () => stop()
}

/** Where an object has what {@link tellHeld} gives it. */
const heldOutside = Symbol('held outside of the heap')

/**
 * Tells V8 how many bytes an object holds outside of the heap, about, for as long as the object lives. The object gets a buffer of this
 * length, which V8 counts. Nothing is written into the buffer, so it takes no memory. Each 64 MB of such buffers begin a collection, which
 * runs beside other work.
 */
export function tellHeld(object: object, bytes: number): void {
  Object.defineProperty(object, heldOutside, { value: Buffer.allocUnsafeSlow(bytes) })
}

/** Bytes that may pass between two collections of young objects; docs/design/performance.md tells what this costs and saves. */
const passedAtOnce = 8 * 1024 * 1024

let passed = 0

/** Takes note of a piece of a body that has been passed on: its buffer is garbage that V8 hardly sees. */
export function countPassed(bytes: number): void {
  passed += bytes
  if (passed < passedAtOnce) return
  passed = 0
  collectGarbage('minor')
}
