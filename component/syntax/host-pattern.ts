/** The syntax of host patterns: `example.com`, `[www.]example.com`, `api.:_`, `_` ─▶ every form they stand for. */
import { isIPv6 } from 'node:net'
import type { Problem } from './path-pattern.ts'

/** One label of a host: a literal in lower case, or undefined for any one label. */
export type Label = string | undefined

/** A host pattern, its optional labels expanded. */
export type HostPattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'hosts'; readonly forms: readonly (readonly Label[])[] }

const maxOptional = 8

/** Parses a host pattern. A leading and a trailing dot are ignored, letter case is, too (behaviour: Requests). */
export function parseHostPattern(text: string): HostPattern | Problem {
  const bare = trimDots(text.toLowerCase())
  if (bare === '_') return { kind: 'any' }
  if (bare === '') return { problem: 'a host pattern must not be empty; write "_" for any host' }
  if (bare.startsWith('.') || bare.endsWith('.'))
    return { problem: 'a host must not have an empty label' }
  if (bare[0] === '[' && bare.endsWith(']') && isIPv6(bare.slice(1, -1))) {
    return { kind: 'hosts', forms: [[bare]] }
  }
  const texts = expandBrackets(bare)
  if (!Array.isArray(texts)) return texts
  const forms = new Map<string, Label[]>()
  for (const form of texts) {
    const labels = readLabels(trimDots(form))
    if (!Array.isArray(labels)) return labels
    forms.set(labelsKey(labels), labels)
  }
  return { kind: 'hosts', forms: [...forms.values()] }
}

/** Labels as text with the names of one-label wildcards removed. */
export const labelsKey = (labels: readonly Label[]): string =>
  labels.map((label) => label ?? ':').join('.')

/** Whether some host matches both patterns. */
export function hostsOverlap(one: HostPattern, other: HostPattern): boolean {
  if (one.kind === 'any' || other.kind === 'any') return true
  return one.forms.some((labels) => other.forms.some((others) => labelsOverlap(labels, others)))
}

const labelsOverlap = (labels: readonly Label[], others: readonly Label[]): boolean =>
  labels.length === others.length &&
  labels.every((label, i) => {
    const other = others[i]
    // a wildcard is no address
    if (label === undefined) return !other?.startsWith('[')
    return other === undefined ? !label.startsWith('[') : label === other
  })

/** Without one leading and one trailing dot. */
export function trimDots(host: string): string {
  const start = host.startsWith('.') ? 1 : 0
  const end = host.endsWith('.') && host.length > start ? host.length - 1 : host.length
  return start === 0 && end === host.length ? host : host.slice(start, end)
}

/** Takes and leaves each `[…]` in turn; the number of brackets is capped. */
function expandBrackets(text: string): string[] | Problem {
  let forms = ['']
  let at = 0
  let optionals = 0
  while (at < text.length) {
    const open = text.indexOf('[', at)
    if (text.slice(at, open < 0 ? text.length : open).includes(']')) {
      return { problem: 'a "]" has no matching "["' }
    }
    if (open < 0) return forms.map((form) => form + text.slice(at))
    const close = text.indexOf(']', open)
    const inner = text.slice(open + 1, close)
    if (close < 0 || inner.includes('[')) return { problem: 'a "[" is not closed' }
    // a bracket holds whole labels, such as `[www.]example.com` or `example[.com]`
    const isFirst = open === 0 || '.]'.includes(text[open - 1] ?? '')
    const isWhole = inner.endsWith('.')
      ? isFirst
      : inner.startsWith('.') && close === text.length - 1 && !isFirst
    if (trimDots(inner) === '' || !isWhole) {
      return { problem: 'write an optional label with its dot, such as "[www.]example.com"' }
    }
    optionals += 1
    if (optionals > maxOptional)
      return { problem: `a host has at most ${maxOptional} optional labels` }
    const before = text.slice(at, open)
    forms = forms.flatMap((form) => [form + before + inner, form + before])
    at = close + 1
  }
  return forms
}

function readLabels(host: string): Label[] | Problem {
  if (host.length > 253) return { problem: 'a host has at most 253 characters' }
  const labels: Label[] = []
  for (const label of host.split('.')) {
    if (label === '') return { problem: 'a host must not have an empty label' }
    const isWildcard = label[0] === ':'
    const name = isWildcard ? label.slice(1) : label
    if (!isHostLabel(name)) {
      return {
        problem:
          'a host consists of labels of letters, digits, "-" and "_", or ":_" for any one label, ' +
          'without scheme, user, port and path; "_" alone is any host',
      }
    }
    if (name === '_' && !isWildcard) {
      return { problem: '"_" alone is any host; write ":_" for any one label' }
    }
    labels.push(isWildcard ? undefined : label)
  }
  return labels
}

/**
 * Whether a text in lower case is a label of a host: letters, digits, hyphen, and the underscore that real host names have, at
 * most 63; international names as `xn--…`.
 */
export const isHostLabel = (text: string): boolean => /^[a-z\d_-]{1,63}$/.test(text)
