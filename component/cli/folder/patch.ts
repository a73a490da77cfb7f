/** Two JSON values as a unified diff of their canonical texts: keys in order, two spaces a level. */
import { pretty } from '#component/cli/format.ts'
import { canonicalJson } from '#component/codec/json.ts'
import { isMap } from '#component/syntax/values.ts'

/** A line of the diff: of both texts, of the first, or of the second. */
interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** One side of a value: absent where it does not exist, with the comma that follows it. */
interface Side {
  readonly value: unknown
  readonly comma: ',' | ''
}

type Members = readonly (readonly [key: string | undefined, value: unknown])[]

/** Keys in the order of their canonical text; a list has none. */
const membersOf = (value: unknown): Members =>
  Array.isArray(value)
    ? value.map((item) => [undefined, item] as const)
    : Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))

const sideOf = (members: Members, at: number): Side | undefined => {
  const member = members[at]
  return member && { value: member[1], comma: at < members.length - 1 ? ',' : '' }
}

const labelOf = (key: string | undefined): string =>
  key === undefined ? '' : `${JSON.stringify(key)}: `

/** The lines of a value, key and comma included; an object would put keys such as "10" first. */
function textOf(label: string, { value, comma }: Side, indent: string): readonly string[] {
  const isList = Array.isArray(value)
  const members = isList || isMap(value) ? membersOf(value) : []
  if (members.length === 0) return [`${indent}${label}${pretty(value)}${comma}`]
  const inner = members.flatMap(([key], at) =>
    textOf(labelOf(key), sideOf(members, at) as Side, `${indent}  `),
  )
  return [
    `${indent}${label}${isList ? '[' : '{'}`,
    ...inner,
    `${indent}${isList ? ']' : '}'}${comma}`,
  ]
}

type Pair = readonly [key: string | undefined, from: Side | undefined, to: Side | undefined]

/** Members with one key. */
function pairsOfMaps(before: Members, after: Members): readonly Pair[] {
  const keys = [...new Set([...before, ...after].map(([key]) => key))].sort()
  const [from, to] = [before, after].map(
    (members) => new Map(members.map(([key], at) => [key, sideOf(members, at)])),
  )
  return keys.map((key) => [key, from?.get(key), to?.get(key)])
}

/** Items at one place, counted from the end behind the last difference. */
function pairsOfLists(before: Members, after: Members): readonly Pair[] {
  const [from, to] = [before, after].map((items) => items.map(([, item]) => canonicalJson(item)))
  const most = Math.min(before.length, after.length)
  let tail = 0
  while (tail < most && from?.at(-1 - tail) === to?.at(-1 - tail)) tail++
  const heads = [before.length - tail, after.length - tail] as const
  const pairs: Pair[] = []
  for (let i = 0; i < Math.max(...heads); i++)
    pairs.push([
      undefined,
      i < heads[0] ? sideOf(before, i) : undefined,
      i < heads[1] ? sideOf(after, i) : undefined,
    ])
  for (let i = 0; i < tail; i++)
    pairs.push([undefined, sideOf(before, heads[0] + i), sideOf(after, heads[1] + i)])
  return pairs
}

/** The brackets of two values that both have members of one kind, which are compared one by one. */
function bracketsOf(from: unknown, to: unknown): '[]' | '{}' | undefined {
  if (Array.isArray(from) && Array.isArray(to)) return from.length && to.length ? '[]' : undefined
  if (!isMap(from) || !isMap(to)) return undefined
  return Object.keys(from).length && Object.keys(to).length ? '{}' : undefined
}

/** The lines of both texts; a side is undefined where the value does not exist. */
function* linesOf(
  label: string,
  from: Side | undefined,
  to: Side | undefined,
  indent: string,
): Generator<Line> {
  const brackets = bracketsOf(from?.value, to?.value)
  if (!from || !to || !brackets) {
    const [before, after] = [from, to].map((side) => (side ? textOf(label, side, indent) : []))
    yield* changed(before ?? [], after ?? [])
    return
  }
  yield { mark: ' ', text: `${indent}${label}${brackets[0]}` }
  const pairs = brackets === '[]' ? pairsOfLists : pairsOfMaps
  for (const [key, left, right] of pairs(membersOf(from.value), membersOf(to.value)))
    yield* linesOf(labelOf(key), left, right, `${indent}  `)
  const [before, after] = [from, to].map(({ comma }) => [`${indent}${brackets[1]}${comma}`])
  yield* changed(before ?? [], after ?? [])
}

/** Equal lines once, others as removed and added. */
function* changed(before: readonly string[], after: readonly string[]): Generator<Line> {
  if (before.join('\n') === after.join('\n')) {
    for (const text of before) yield { mark: ' ', text }
    return
  }
  for (const text of before) yield { mark: '-', text }
  for (const text of after) yield { mark: '+', text }
}

/** Lines around a change that are shown. */
const contextLines = 3

/** The unified diff, with names of both texts; '' for equal values. */
export function unifiedDiff(from: unknown, to: unknown, names: readonly [string, string]): string {
  const side = (value: unknown): Side => ({ value, comma: '' })
  const lines = [...linesOf('', side(from), side(to), '')]
  const isShown = lines.map(() => false)
  lines.forEach(({ mark }, at) => {
    if (mark !== ' ') isShown.fill(true, Math.max(0, at - contextLines), at + contextLines + 1)
  })
  let text = ''
  let [before, after] = [1, 1]
  for (let at = 0; at < lines.length; ) {
    if (!isShown[at]) {
      before++
      after++
      at++
      continue
    }
    const end = isShown.indexOf(false, at)
    const hunk = lines.slice(at, end < 0 ? undefined : end)
    const lengthOf = (other: Line['mark']) => hunk.filter(({ mark }) => mark !== other).length
    const [removed, added] = [lengthOf('+'), lengthOf('-')]
    text += `@@ -${before},${removed} +${after},${added} @@\n`
    text += hunk.map((line) => `${line.mark}${line.text}\n`).join('')
    before += removed
    after += added
    at += hunk.length
  }
  return text && `--- ${names[0]}\n+++ ${names[1]}\n${text}`
}
