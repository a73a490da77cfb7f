/** The header fields `traceparent` and `tracestate` (W3C Trace Context Level 2): where a request stands in a distributed trace. */

/** A span as others refer to it. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string
  /** Whether the span may be recorded, so that those below it should be. */
  readonly isSampled: boolean
  /** Whether the last 14 digits of the trace id are random. */
  readonly isRandom: boolean
  /** What tracing systems pass on among themselves; undefined: nothing. */
  readonly tracestate: string | undefined
}

/** Bit 0 of the flags. */
const sampled = 1
/** Bit 1 of the flags. */
const random = 2

/** Characters of version 00, which later versions begin with. */
const knownLength = 55
/** More characters are no traceparent of any version. */
const maxTraceparent = 512

const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)
const dash = 0x2d

/**
 * Reads a traceparent; undefined for a malformed one. A later version than 00 is read by the members that 00 has.
 * @param traceparent repeated fields are joined by `, `, and so malformed
 * @param tracestate dropped where it is malformed
 */
export function readTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | undefined {
  if (traceparent === undefined || !isTraceparent(traceparent)) return undefined
  const traceId = traceparent.slice(3, 35)
  const spanId = traceparent.slice(36, 52)
  if (traceId === noTrace || spanId === noSpan) return undefined
  const flags = Number.parseInt(traceparent.slice(53, knownLength), 16)
  return {
    traceId,
    spanId,
    isSampled: (flags & sampled) !== 0,
    isRandom: (flags & random) !== 0,
    tracestate: tracestate === undefined ? undefined : readTracestate(tracestate),
  }
}

/** Version, trace id, span id and flags; a later version may have more, after a dash. */
function isTraceparent(text: string): boolean {
  const { length } = text
  if (length < knownLength || length > maxTraceparent) return false
  for (let at = 0; at < knownLength; at++) {
    const code = text.charCodeAt(at)
    const isDash = at === 2 || at === 35 || at === 52
    if (isDash ? code !== dash : !isDigit(code)) return false
  }
  if (text.startsWith('ff')) return false
  if (length === knownLength) return true
  return !text.startsWith('00') && text.charCodeAt(knownLength) === dash
}

/** Whether the character is a lower-case hexadecimal digit. */
const isDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66)

/** The traceparent of a context, of version 00; flags that the version does not know are not passed on. */
export function traceparentOf({ traceId, spanId, isSampled, isRandom }: TraceContext): string {
  const flags = (isSampled ? sampled : 0) | (isRandom ? random : 0)
  return `00-${traceId}-${spanId}-0${flags}`
}

/** Characters that the standard asks every participant to pass on; more are dropped as a whole. */
const maxTracestate = 512
const maxMembers = 32

/** A key of Level 2: `@` stands anywhere but at its beginning. Level 1 has `name` and `tenant@system`. */
const memberKey = /^[a-z0-9][a-z0-9_\-*/@]{0,255}$/
/** Printable ASCII without `,` and `=`; no blank at the end. */
const memberValue = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/**
 * A tracestate as it is passed on: undefined where it is empty, malformed or too long. The sender sees to it that each key stands
 * once; members with one key are passed on as they came.
 */
function readTracestate(text: string): string | undefined {
  if (text.length > maxTracestate) return undefined
  const members: string[] = []
  for (const part of text.split(',')) {
    const member = part.trim()
    if (member === '') continue
    const end = member.indexOf('=')
    const key = member.slice(0, Math.max(end, 0))
    const isWrong = !memberKey.test(key) || !memberValue.test(member.slice(end + 1))
    if (isWrong || members.length === maxMembers) return undefined
    members.push(member)
  }
  return members.length === 0 ? undefined : members.join(',')
}
