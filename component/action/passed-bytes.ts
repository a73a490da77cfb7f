/** Bodies that pass leave buffers behind, of which the collector of young objects sees next to nothing: here it is told. */
import { collectGarbage } from '#component/limits/gc-pressure.ts'

/**
 * Bytes that may pass between two collections. A buffer of 64 kB is a few hundred bytes of heap, so that V8 by itself
 * lets half a gigabyte of them come together; told every 8 MB, it takes 0.4 ms to free them, and a forward of 1 GB grows
 * the process by 20 MB. A small young generation (--max-semi-space-size=1) would bound them, too, and cost every other
 * request 20 % to 100 %.
 */
const most = 8 * 1024 * 1024

let passed = 0

/** Takes note of a piece of a body that has been passed on. */
export function countPassed(bytes: number): void {
  passed += bytes
  if (passed < most) return
  passed = 0
  collectGarbage('minor')
}
