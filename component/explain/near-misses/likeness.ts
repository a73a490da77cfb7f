/** How near a path pattern comes to the path of a request that it does not match, and the first place where they part. */
import {
  type PartSegment,
  partsIn,
  type Segment,
  segmentText,
} from '#component/syntax/path-pattern.ts'
import { decodeEscapes } from '#component/syntax/request-target.ts'

/** A path as received, in segments. */
export interface AskedPath {
  /** As received and decoded; undefined where the escapes are bad. Without empty segments. */
  readonly segments: readonly { readonly raw: string; readonly text: string | undefined }[]
  /** Whether the path has an empty segment besides one slash at its end. */
  readonly hasEmpty: boolean
}

/** @param path begins with a slash; escapes kept, without query */
export function askedPath(path: string): AskedPath {
  const bare = path.slice(1, path.endsWith('/') ? Math.max(1, path.length - 1) : undefined)
  const raws = bare === '' ? [] : bare.split('/')
  return {
    segments: raws.filter((raw) => raw !== '').map((raw) => ({ raw, text: decodeEscapes(raw) })),
    hasEmpty: path.includes('//'),
  }
}

/** The comparison of one form of a pattern with a path. */
export interface Likeness {
  /** Segments that differ: replaced, missing or surplus; 0 when only the writing differs, or nothing. */
  readonly edits: number
  /** Whether both have equally many segments. */
  readonly isAsLong: boolean
  /** Segments with text that are equal. */
  readonly shared: number
  /** How alike the first segments that differ are as texts, from 0 to 1; only of two literals. */
  readonly closeness: number
  /** Where they part; undefined when the form matches. */
  readonly why: string | undefined
}

type Asked = AskedPath['segments'][number]

const isSame = (segment: Segment | undefined, asked: Asked | undefined): boolean => {
  if (segment === undefined || asked?.text === undefined) return false
  if (segment.kind === 'parts') return partsIn(segment, asked.text) !== undefined
  return segment.kind === 'literal' ? segment.text === asked.text : segment.kind === 'binding'
}

/** Why the two differ in writing only; undefined when they differ in more. */
function writingProblem(
  segment: Segment | undefined,
  asked: Asked | undefined,
): string | undefined {
  if (segment?.kind !== 'literal' || asked?.text === undefined) return undefined
  const { text } = asked
  if (text.toLowerCase() === segment.text.toLowerCase()) return 'letter case counts'
  if (decodeEscapes(text) === segment.text) return 'the request has its percent-encoding twice'
  if (text.normalize() === segment.text.normalize())
    return 'they differ in their Unicode normalization'
  return undefined
}

/** The number of equal members at the beginning, or from `end` on backwards. */
function runOf(length: number, isEqual: (index: number) => boolean): number {
  let run = 0
  while (run < length && isEqual(run)) run += 1
  return run
}

/** How much of the longer text is a common beginning or end. */
function closenessOf(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  const start = runOf(shorter, (i) => one[i] === other[i])
  const end = runOf(shorter - start, (i) => one.at(-1 - i) === other.at(-1 - i))
  return (start + end) / Math.max(one.length, other.length, 1)
}

/** Compares a form with a path. */
export function likenessOf(whole: readonly Segment[], asked: AskedPath): Likeness {
  const hasRest = whole.at(-1)?.kind === 'rest'
  const form = hasRest ? whole.slice(0, -1) : whole
  const segments = hasRest ? asked.segments.slice(0, form.length) : asked.segments
  const isEqual = (at: number, other: number) =>
    isSame(form[at], segments[other]) || writingProblem(form[at], segments[other]) !== undefined
  const shorter = Math.min(form.length, segments.length)
  const start = runOf(shorter, (i) => isEqual(i, i))
  const end = runOf(shorter - start, (i) => isEqual(form.length - 1 - i, segments.length - 1 - i))
  const edits = Math.max(form.length, segments.length) - start - end
  const isShared = (segment: Segment, index: number) =>
    (segment.kind === 'literal' || segment.kind === 'parts') &&
    (index < start || index >= form.length - end)
  const [segment, other] = [form[start], segments[start]]
  return {
    edits,
    isAsLong: form.length === segments.length,
    shared: form.filter(isShared).length,
    closeness: segment?.kind === 'literal' && other ? closenessOf(segment.text, other.raw) : 0,
    why: edits === 0 ? writingOf(form, segments, asked) : parting(form, segments, start),
  }
}

/** The first difference in writing. */
function writingOf(
  form: readonly Segment[],
  segments: readonly Asked[],
  { hasEmpty }: AskedPath,
): string | undefined {
  for (const [index, segment] of form.entries()) {
    const asked = segments[index]
    const problem = isSame(segment, asked) ? undefined : writingProblem(segment, asked)
    if (asked && problem) return `${difference(index, segment, asked)}: ${problem}`
  }
  return hasEmpty ? 'the request has an empty segment, "//", which no pattern matches' : undefined
}

function difference(index: number, segment: Segment, { raw, text }: Asked): string {
  const why =
    segment.kind === 'parts' && text !== undefined ? `: ${partsProblem(segment, text)}` : ''
  return `segment ${index + 1} is "${segmentText(segment)}", the request has "${raw}"${why}`
}

/** Why a segment does not match text with bindings. */
function partsProblem({ texts }: PartSegment, text: string): string {
  const [before = '', after = ''] = [texts[0], texts.at(-1)]
  if (!text.startsWith(before)) return `the segment does not begin with "${before}"`
  if (!text.endsWith(after)) return `the segment does not end in "${after}"`
  const missing = texts.slice(1, -1).find((between) => !text.includes(between))
  return missing === undefined
    ? 'a binding would be empty'
    : `the segment has no "${missing}" between`
}

/** @param at index of the first segment that differs */
function parting(form: readonly Segment[], segments: readonly Asked[], at: number): string {
  const [segment, asked] = [form[at], segments[at]]
  if (segment && asked) return difference(at, segment, asked)
  if (segment) return `the request ends before segment ${at + 1}, "${segmentText(segment)}"`
  return `the pattern ends before segment ${at + 1} of the request, "${asked?.raw ?? ''}"`
}
