/** Random patterns: RE2 matches what ECMA-262 matches, and no text takes longer than the pattern's price. */
import { compilePattern, sizeOfPattern } from '#component/schema/pattern/pattern.ts'
import { randomFrom } from './random.ts'
import { randomPattern } from './random-schemas.ts'

/** What the patterns of one run came to. */
export interface PatternFuzz {
  readonly compiled: number
  /** Patterns and texts on which RE2 and the RegExp of Node differ. */
  readonly different: readonly string[]
  /** Milliseconds that the budget of a check lasts with the dearest pattern, and the pattern. */
  readonly slowest: number
  readonly dearest: string
}

/** The budget of a check, in units. */
const budget = 2_000_000

/** One pattern in so many is timed: it takes as long as a thousand comparisons. */
const timedOneIn = 50

/** A whole budget is timed by a part of it. */
const part = 10

const characters = [...'ab1 -é😀\n._']

/** @param count how many patterns are made */
export function fuzzPatterns({ count, seed }: { count: number; seed: number }): PatternFuzz {
  const random = randomFrom(seed)
  const textOf = (length: number, from: readonly string[]): string =>
    Array.from({ length }, () => from[Math.floor(random() * from.length)]).join('')
  const different: string[] = []
  let compiled = 0
  let slowest = 0
  let dearest = ''
  for (let index = 0; index < count; index++) {
    const pattern = randomPattern(random)
    if (typeof sizeOfPattern(pattern) === 'string') continue
    compiled++
    const ours = compilePattern(pattern)
    const theirs = new RegExp(pattern, 'u')
    for (let made = 0; made < 20; made++) {
      // short: what RE2 matches in linear time, the other one may not
      const text = textOf(Math.floor(random() * 7), characters)
      if (ours.test(text) !== theirs.test(text)) different.push(JSON.stringify({ pattern, text }))
    }
    if (index % timedOneIn !== 0) continue
    const length = Math.floor(budget / part / ours.unitsPerCharacter)
    const text = textOf(length, characters.slice(0, 1 + Math.floor(random() * characters.length)))
    const taken = part * Math.min(...[1, 2, 3].map(() => millisecondsOf(() => ours.test(text))))
    if (taken <= slowest) continue
    slowest = taken
    dearest = pattern
  }
  return { compiled, different, slowest, dearest }
}

function millisecondsOf(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
