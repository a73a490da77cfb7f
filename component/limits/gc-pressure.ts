/** Tells the garbage collector of buffers: to V8 one of 64 kB is a few hundred bytes of heap, and it collects nothing while the process is idle. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '#component/clock.ts'
import type { ByteBudget } from './byte-budget.ts'

type Collect = (options: {
  readonly type: 'major' | 'minor'
  readonly flavor?: 'last-resort'
}) => void

let known: Collect | undefined

/**
 * Collects young objects, in less than a millisecond, or all of them, in some 150 ms, after which V8 keeps no room for more
 * (`last-resort`). It is `gc` of `node --expose-gc`, however the process was started.
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
/** Bytes held at once for peers from which on a collection is worth its time. */
const many = 16 * 1024 * 1024
/** Peers hold no more than this when they are done. Bytes. */
const few = 1024 * 1024

/**
 * Collects all garbage once peers are done that had much held for them, so that the memory goes back to the system. Peers who
 * go on are not held up by it.
 * @returns what ends it
 */
export function collectAfter(
  budget: Pick<ByteBudget, 'takeMost'>,
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
