/**
 * The entity tags of compressed answers (RFC 9110 §8.8.3.3): a strong `"v"` becomes `"v--br"`, since its bytes are others. The name is
 * taken off what clients send back, so that the ones behind see the tags that they have given, and comparisons hold.
 */
import type { CodingName } from './codings.ts'

/** Of a tag that is not compressed, but ends as if it were: what is taken off is then its own. */
const none = 'identity'

const marked = /--(?:zstd|br|gzip|identity)"$/
const markedOnes = /--(?:zstd|br|gzip|identity)"(?=[ \t]*(?:,|$))/g
const compressedOne = /^[ \t]*"[^"]*--(?:zstd|br|gzip)"[ \t]*$/

/** The tag of an answer in a coding; undefined: as it is. */
export function codedTag(tag: string, coding: CodingName | undefined): string {
  const isStrong = tag.startsWith('"') && tag.endsWith('"') && tag.length > 1
  if (isStrong && coding !== undefined) return `${tag.slice(0, -1)}--${coding}"`
  return marked.test(tag) ? `${tag.slice(0, -1)}--${none}"` : tag
}

/** A list of tags as they were before {@link codedTag}. */
export const plainTags = (field: string): string => field.replace(markedOnes, '"')

/** Whether `If-Range` names a compressed answer: what is there in parts is another one. */
export const isOfCompressed = (ifRange: string): boolean => compressedOne.test(ifRange)

/**
 * The tag under which a client knows an answer that has not changed.
 * @param asked `If-None-Match` as the client sent it
 * @param coding that it would get now
 * @returns undefined: it names none of them
 */
export function knownTag(
  tag: string,
  asked: string,
  coding: CodingName | undefined,
): string | undefined {
  const opaque = opaqueOf(tag)
  const all = (asked.match(/(?:W\/)?"[^"]*"/g) ?? []).filter(
    (one) => opaqueOf(plainTags(one)) === opaque,
  )
  const wanted = coding === undefined ? undefined : `--${coding}"`
  const found = all.find((one) => wanted !== undefined && one.endsWith(wanted)) ?? all[0]
  // a cache on the way may have made it weak
  return found?.startsWith('W/') && !tag.startsWith('W/') ? opaqueOf(found) : found
}

const opaqueOf = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)
