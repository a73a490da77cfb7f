/** The formats that are checked; others only document. */

import { isDateTime, isDuration, isTime } from '#component/schema/format/date-times.ts'
import { isHostName, isInternational } from '#component/schema/format/host-names.ts'
import { ofLibrary } from '#component/schema/format/library-formats.ts'
import { isUri, isUriReference } from '#component/schema/format/uris.ts'
import { isInteger64 } from '#component/syntax/integers.ts'
import { spendVisits } from './budget.ts'
import { isInteger } from './numbers.ts'

/** Longer texts fit no format. */
const longestText = 2048

/** Visits that a text costs, and a character of it: also where the text is an international host name, a URI, or a pattern. */
const plain = { text: 30, character: 0.75 }
const international = { text: 40, character: 20 }
const uri = { text: 30, character: 2 }
const pattern = { text: 800, character: 10 }

/** Whether a value of any type fits a format. */
type Fits = (value: unknown) => boolean

const textFormat =
  (isOfFormat: (text: string) => boolean, costOf = (_text: string) => plain): Fits =>
  (value) => {
    if (typeof value !== 'string') return true
    if (value.length > longestText) return false
    const { text, character } = costOf(value)
    spendVisits(text + value.length * character)
    return isOfFormat(value)
  }

const numberFormat =
  (fits: (value: number | bigint) => boolean): Fits =>
  (value) =>
    (typeof value !== 'number' && typeof value !== 'bigint') || (isInteger(value) && fits(value))

/** ECMA-262, as JSON Schema has it: with the flag u. */
function isRegExp(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** RFC 9562 §4, without a prefix. */
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** RFC 4648 §4, with its padding. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Each format by its name; undefined where it says what a text means and not how it looks. */
export const formats: ReadonlyMap<string, Fits | undefined> = new Map<string, Fits | undefined>([
  ['date-time', textFormat(isDateTime)],
  ['date', textFormat(ofLibrary('date'))],
  ['time', textFormat(isTime)],
  ['duration', textFormat(isDuration)],
  ['email', textFormat(ofLibrary('email'))],
  ['hostname', textFormat(isHostName, (text) => (isInternational(text) ? international : plain))],
  ['ipv4', textFormat(ofLibrary('ipv4'))],
  ['ipv6', textFormat(ofLibrary('ipv6'))],
  ['uri', textFormat(isUri, () => uri)],
  ['uri-reference', textFormat(isUriReference, () => uri)],
  ['uuid', textFormat((text) => uuid.test(text))],
  ['json-pointer', textFormat(ofLibrary('json-pointer'))],
  ['regex', textFormat(isRegExp, () => pattern)],
  ['int32', numberFormat((value) => value >= -(2 ** 31) && value < 2 ** 31)],
  ['int64', numberFormat((value) => isInteger64(BigInt(value)) && value < 2n ** 63n)],
  ['byte', textFormat((text) => base64.test(text))],
  ['binary', undefined],
  ['password', undefined],
])
