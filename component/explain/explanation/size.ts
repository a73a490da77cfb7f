/** Keeps an explanation small: values of expressions are cut, and the whole if need be. */
import { stringifyJson } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'
import { cut } from './cut.ts'
import type { ExplainedExpression, ExplainedRun, Explanation } from './explanation.ts'

/** Bytes of JSON of one value of an expression. */
const mostOfValue = 1024

/** Bytes of JSON of an explanation. */
const mostOfAll = 1_048_576

/** Bytes of JSON of one member where the whole is too large; there are seven, and each outcome has three more. */
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
  { expressions, action, response, problem }: ExplainedRun,
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
