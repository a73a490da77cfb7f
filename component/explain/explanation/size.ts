/** Keeps an explanation small: values of expressions are cut, and what is less needed is left out. */
import { stringifyJson } from '#component/codec/json.ts'
import { isMap, setOwn } from '#component/syntax/values.ts'
import type {
  ExplainedAnswer,
  ExplainedExpression,
  ExplainedRun,
  Explanation,
} from './explanation.ts'

/** Stands for what was left out. */
const mark = '…'

/**
 * The value, shortened to about `bytes` bytes of JSON: long texts are cut, lists and maps end early.
 * @returns the value itself when it fits
 */
function cut(value: unknown, bytes: number): unknown {
  const cutter = new Cutter(bytes)
  const shorter = cutter.cut(value)
  return cutter.hasCut ? shorter : value
}

class Cutter {
  #left: number
  hasCut = false

  constructor(bytes: number) {
    this.#left = bytes
  }

  cut(value: unknown): unknown {
    if (Array.isArray(value)) return this.#list(value)
    if (isMap(value)) return this.#map(value)
    if (typeof value === 'string') return this.#text(value)
    this.#left -= value instanceof Uint8Array ? value.length : String(value).length
    if (this.#left >= 0 || !(value instanceof Uint8Array)) return value
    this.hasCut = true
    return `${mark} ${value.length} bytes`
  }

  #text(text: string): string {
    const bytes = Buffer.from(text)
    const room = Math.max(0, this.#left)
    this.#left -= bytes.length + 2
    if (bytes.length <= room) return text
    this.hasCut = true
    // a character that was cut in two becomes U+FFFD at the end
    return `${bytes
      .subarray(0, room)
      .toString('utf8')
      .replace(/\uFFFD+$/, '')}${mark}`
  }

  #list(list: readonly unknown[]): unknown[] {
    this.#left -= 2
    const shorter: unknown[] = []
    for (const member of list) {
      if (this.#left <= 0) {
        shorter.push(this.#rest(list.length - shorter.length))
        break
      }
      shorter.push(this.cut(member))
      this.#left -= 1
    }
    return shorter
  }

  #map(map: Readonly<Record<string, unknown>>): Record<string, unknown> {
    this.#left -= 2
    const shorter: Record<string, unknown> = {}
    const entries = Object.entries(map)
    for (const [index, [key, member]] of entries.entries()) {
      if (this.#left <= 0) {
        shorter[mark] = this.#rest(entries.length - index)
        break
      }
      this.#left -= key.length + 4
      setOwn(shorter, key, this.cut(member))
    }
    return shorter
  }

  #rest(count: number): string {
    this.hasCut = true
    return `${mark} ${count} more`
  }
}

/** Bytes of JSON of one value of an expression. */
const mostOfValue = 1024

/** Bytes of JSON of an explanation. */
const mostOfAll = 1_048_576

/** Bytes of JSON of one member where the whole is too large; there are eight at most, and each outcome has three more. */
const mostOfMember = 131_072

/** The explanation in at most 1 MiB. */
export function bounded(explanation: Explanation): Explanation {
  const { outcomes } = explanation
  const short: Explanation = {
    ...explanation,
    expressions: explanation.expressions.map(shortened),
    ...(outcomes && {
      outcomes: mapValues(outcomes, (run) => ({
        ...run,
        expressions: run.expressions.map(shortened),
      })),
    }),
  }
  return sizeOf(short) <= mostOfAll ? short : cutDown(short)
}

const sizeOf = (value: unknown): number =>
  Buffer.byteLength(stringifyJson(value, Number.MAX_SAFE_INTEGER))

function shortened(expression: ExplainedExpression): ExplainedExpression {
  const { steps, value } = expression
  return {
    ...expression,
    steps: steps.map(
      (step) =>
        (isMap(step) ? mapValues(step, (member) => cut(member, mostOfValue)) : step) as typeof step,
    ),
    ...(value !== undefined && { value: cut(value, mostOfValue) }),
  }
}

function cutDown(explanation: Explanation): Explanation {
  const { outcomes, checks, rules, near_misses } = explanation
  const share = mostOfMember / (Object.keys(outcomes ?? {}).length + 1)
  return {
    ...explanation,
    ...cutRun(explanation, share),
    near_misses: near_misses.map((miss) => mapValues(miss, (member) => cut(member, mostOfValue))),
    checks: checks.map((check) => mapValues(check, (member) => cut(member, mostOfValue))),
    rules: mapValues(rules, ({ value, at }) => ({ value: cut(value, mostOfValue), at })),
    ...(outcomes && { outcomes: mapValues(outcomes, (run) => cutRun(run, share)) }),
    truncated: true,
  }
}

function cutRun(
  { expressions, action, response, problem, answer }: ExplainedRun,
  bytes: number,
): ExplainedRun {
  const cutAction = (one: object) => mapValues(one, (member) => cut(member, bytes / 4))
  return {
    expressions: firstOf(expressions, bytes),
    action: (Array.isArray(action)
      ? action.slice(0, 10).map(cutAction)
      : action && cutAction(action)) as ExplainedRun['action'],
    response: response && {
      ...response,
      headers: cut(response.headers, bytes / 4) as typeof response.headers,
      body: cut(response.body, bytes),
      ...(response.frames && { frames: firstOf(response.frames, bytes) }),
    },
    problem,
    ...(answer && { answer: cutAnswer(answer, bytes) }),
  }
}

/** A result or an error, and the first pieces before it. */
function cutAnswer({ is_sample, ...parts }: ExplainedAnswer, bytes: number): ExplainedAnswer {
  const { progress, result, error } = parts
  const cutPayload = <T extends object>(payload: T): T =>
    mapValues(payload, (member) => cut(member, bytes / 4))
  return {
    is_sample,
    ...(result && { result: cutPayload(result) }),
    ...(error && { error: cutPayload(error) }),
    ...(progress && { progress: firstOf(progress, bytes / 2) }),
  }
}

/** The first members, each of them whole. */
function firstOf<T>(list: readonly T[], bytes: number): readonly T[] {
  let left = bytes
  return list.filter((member) => {
    left -= sizeOf(member)
    return left >= 0
  })
}

/** A member keeps its type, or becomes a text. */
function mapValues<T extends object>(map: T, change: (value: T[keyof T]) => unknown): T {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)])) as T
}
