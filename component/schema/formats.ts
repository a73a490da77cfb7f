/** The formats that are checked; others only document. */
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { isInteger64 } from '#component/syntax/integers.ts'
import { spendVisits } from './budget.ts'
import { isInteger } from './numbers.ts'

/** Longer texts fit no format. */
const longestText = 2048

/** Characters of a text that are matched in the time of one visit. */
const charactersPerVisit = 4

/** Whether a value of any type fits a format. */
type Fits = (value: unknown) => boolean

const textFormat =
  (isOfFormat: (text: string) => boolean): Fits =>
  (value) => {
    if (typeof value !== 'string') return true
    if (value.length > longestText) return false
    spendVisits(value.length / charactersPerVisit)
    return isOfFormat(value)
  }

const numberFormat =
  (fits: (value: number | bigint) => boolean): Fits =>
  (value) =>
    (typeof value !== 'number' && typeof value !== 'bigint') || (isInteger(value) && fits(value))

/** A format as ajv-formats has it. */
function library(
  name:
    | 'date'
    | 'date-time'
    | 'duration'
    | 'email'
    | 'hostname'
    | 'ipv4'
    | 'ipv6'
    | 'json-pointer'
    | 'time'
    | 'uri'
    | 'uri-reference'
    | 'uuid',
): Fits {
  const known: unknown = fullFormats[name]
  const check =
    typeof known === 'object' && known !== null && 'validate' in known ? known.validate : known
  if (check instanceof RegExp) return textFormat((text) => check.test(text))
  return textFormat(check as (text: string) => boolean)
}

/** ECMA-262, as JSON Schema has it: with the flag u. */
function isRegExp(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** RFC 4648 §4, with its padding. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Each format by its name; undefined where it says what a text means and not how it looks. */
export const formats: ReadonlyMap<string, Fits | undefined> = new Map<string, Fits | undefined>([
  ['date-time', library('date-time')],
  ['date', library('date')],
  ['time', library('time')],
  ['duration', library('duration')],
  ['email', library('email')],
  ['hostname', library('hostname')],
  ['ipv4', library('ipv4')],
  ['ipv6', library('ipv6')],
  ['uri', library('uri')],
  ['uri-reference', library('uri-reference')],
  ['uuid', library('uuid')],
  ['json-pointer', library('json-pointer')],
  ['regex', textFormat(isRegExp)],
  ['int32', numberFormat((value) => value >= -(2 ** 31) && value < 2 ** 31)],
  ['int64', numberFormat((value) => isInteger64(BigInt(value)) && value < 2n ** 63n)],
  ['byte', textFormat((text) => base64.test(text))],
  ['binary', undefined],
  ['password', undefined],
])
