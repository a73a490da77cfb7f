/** Two JSON values as a unified diff of their canonical texts: keys in order, two spaces a level. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { pretty } from '#component/cli/format.ts'
import { isMap } from '#component/syntax/values.ts'

/** The canonical text; JSON.stringify would put keys such as "10" first. */
function textOf(value: unknown, indent = ''): string {
  const isList = Array.isArray(value)
  const members = isList
    ? value.map((item) => ['', item] as const)
    : isMap(value)
      ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      : []
  if (members.length === 0) return pretty(value)
  const inner = `${indent}  `
  const lines = members.map(
    ([key, member]) =>
      `${inner}${isList ? '' : `${JSON.stringify(key)}: `}${textOf(member, inner)}`,
  )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

/** Lines around a change that are shown. */
const context = 3

/** Texts with more differing lines are shown as one replaced by the other: the time of a comparison grows by the square of that number. */
const maxEditLength = 2_000

/** The unified diff, with names of both texts; '' for equal values. */
export function unifiedDiff(from: unknown, to: unknown, names: readonly [string, string]): string {
  const [before, after] = [`${textOf(from)}\n`, `${textOf(to)}\n`]
  if (before === after) return ''
  const options = { context, maxEditLength, headerOptions: FILE_HEADERS_ONLY }
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, options)
  return patch ?? replaced(before, after, names)
}

function replaced(before: string, after: string, [from, to]: readonly [string, string]): string {
  const marked = (mark: string, text: string) => text.replaceAll(/^(?=.)/gm, mark)
  const [removed, added] = [before, after].map((text) => text.split('\n').length - 1)
  const head = `--- ${from}\n+++ ${to}\n@@ -1,${removed} +1,${added} @@\n`
  return head + marked('-', before) + marked('+', after)
}
