/** Collects the garbage that V8 does not see in time: buffers, which are outside its heap, and the garbage that remains when the process becomes idle. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '#component/clock.ts'
import type { Quota } from './quota.ts'

type Collect = (options: {
  readonly type: 'major' | 'minor'
  readonly flavor?: 'last-resort'
}) => void

let known: Collect | undefined

/**
 * Collects young objects (`minor`), or all of them (`major`), after which V8 returns the free pages of its heap. It is `gc`
 * of `node --expose-gc`, however the process was started.
 */
export function collectGarbage(type: 'major' | 'minor'): void {
  if (known === undefined) {
    setFlagsFromString('--expose-gc')
    known = runInNewContext('gc') as Collect
  }
  known(type === 'major' ? { type, flavor: 'last-resort' } : { type })
}

/** Milliseconds between two looks. */
const lookMs = 2_000
/** From this many bytes held at once, a collection is worth its time. */
const many = 16 * 1024 * 1024
/** At most this many bytes are held once peers are done. */
const few = 1024 * 1024

/**
 * Collects all garbage once the bytes held for peers have fallen from many to few, so that the memory returns to the system. It does
 * not interrupt peers while much is held.
 * @returns a function that stops it
 */
export function collectAfter(
  budget: Pick<Quota, 'takeMost'>,
  clock: Pick<Clock, 'after'>,
  collect: typeof collectGarbage = collectGarbage,
): () => void {
  let most = 0
  let stop = clock.after(lookMs, look)
  function look(): void {
    const recent = budget.takeMost()
    if (recent <= few && most >= many) {
      collect('major')
      most = 0
    } else most = Math.max(most, recent)
    stop = clock.after(lookMs, look)
  }
  return () => stop()
}

/** Bytes that may pass between two collections of young objects; docs/performance.md tells what this costs and saves. */
const passedAtOnce = 8 * 1024 * 1024

let passed = 0

/** Takes note of a piece of a body that has been passed on: its buffer is garbage that V8 hardly sees. */
export function countPassed(bytes: number): void {
  passed += bytes
  if (passed < passedAtOnce) return
  passed = 0
  collectGarbage('minor')
}
