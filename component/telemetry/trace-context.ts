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

/** Version, trace id, span id, flags; a later version may have more, after a dash. */
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

/** More characters are no traceparent of any version. */
const maxTraceparent = 512

/**
 * Reads a traceparent; undefined for a malformed one. A later version than 00 is read by the members that 00 has.
 * @param traceparent repeated fields are joined by `, `, and so malformed
 * @param tracestate dropped where it is malformed
 */
export function readTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | undefined {
  if (traceparent === undefined || traceparent.length < knownLength) return undefined
  if (traceparent.length > maxTraceparent) return undefined
  const match = form.exec(traceparent)
  if (match === null) return undefined
  const [, version, traceId = '', spanId = '', flags = ''] = match
  if (version === 'ff' || (version === '00' && traceparent.length > knownLength)) return undefined
  if (traceId === noTrace || spanId === noSpan) return undefined
  const bits = Number.parseInt(flags, 16)
  return {
    traceId,
    spanId,
    isSampled: (bits & sampled) !== 0,
    isRandom: (bits & random) !== 0,
    tracestate: tracestate === undefined ? undefined : readTracestate(tracestate),
  }
}

/** The traceparent of a context, of version 00; flags that the version does not know are not passed on. */
export function traceparentOf({ traceId, spanId, isSampled, isRandom }: TraceContext): string {
  const flags = (isSampled ? sampled : 0) | (isRandom ? random : 0)
  return `00-${traceId}-${spanId}-0${flags}`
}

/** Characters that the standard asks every participant to pass on; more are dropped as a whole. */
const maxTracestate = 512
const maxMembers = 32

/** `simple-key`, or `tenant@system`. */
const memberKey =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})$/
/** Printable ASCII without `,` and `=`; no blank at the end. */
const memberValue = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** A tracestate as it is passed on: undefined where it is empty, malformed or too long. */
function readTracestate(text: string): string | undefined {
  if (text.length > maxTracestate) return undefined
  const members = text
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '')
  if (members.length === 0 || members.length > maxMembers) return undefined
  const keys = new Set<string>()
  for (const member of members) {
    const end = member.indexOf('=')
    const key = member.slice(0, Math.max(end, 0))
    if (!memberKey.test(key) || !memberValue.test(member.slice(end + 1)) || keys.has(key)) {
      return undefined
    }
    keys.add(key)
  }
  return members.join(',')
}
