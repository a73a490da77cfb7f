/** The rules of values that several objects of a specification have: header fields, statuses, times, URIs. */
import { entriesAt } from '#component/codec/json.ts'
import { fieldValueProblem, headerNameProblem, readStatus } from '#component/syntax/http-field.ts'
import { readRange } from '#component/syntax/ip-address.ts'
import { mediaRangeProblem } from '#component/syntax/media-type.ts'
import { referenceProblem } from '#component/syntax/percent-encoding.ts'
import { isMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import { described, dynamic, integer, listOf, must, oneOf, type Rule, rule, text } from './rules.ts'
import { fixedPathProblem } from './syntax.ts'

/** Behaviour: Limits. One hour. */
export const maxMilliseconds = 3_600_000

/** A list of media types, and of ranges of them. */
export const mediaTypes = dynamic(
  listOf(
    dynamic(
      described(
        text('a media type or a range of them', mediaRangeProblem),
        'A media type, such as image/png, or a range: image/*, application/*+json, */*.',
        { examples: ['application/json', 'application/msgpack', 'image/*', 'application/*+json'] },
      ),
    ),
    'a list of media types',
  ),
)

/** A duration. */
export const milliseconds = dynamic(integer(1, maxMilliseconds, ' of milliseconds'))
/** The times of an action. */
export const attempts = {
  timeout: milliseconds,
  connect_timeout: milliseconds,
  retries: dynamic(integer(0, Number.MAX_SAFE_INTEGER)),
  retry_timeout: dynamic(integer(0, maxMilliseconds, ' of milliseconds')),
}

/** Of a procedure or topic. */
export const uri = dynamic(text('a WAMP URI', uriProblem))

/** 200–599, also as text (behaviour: Actions and answers). */
export const statusCode: Rule = dynamic(
  must('an HTTP status from 200 to 599', (value) => readStatus(value) !== undefined, {
    anyOf: [
      { type: 'integer', minimum: 200, maximum: 599 },
      { type: 'string', pattern: '^[2-5][0-9][0-9]$' },
    ],
  }),
)

// the value is not shown: it may be a credential
const headerText = text('a header value', fieldValueProblem, 'hidden')

const headerValueOf = (text: Rule): Rule =>
  dynamic(
    rule({ type: ['string', 'number', 'boolean'] }, (value, path, report) => {
      const isPlain = typeof value === 'number' || typeof value === 'boolean'
      if (!isPlain) text(value, path, report)
    }),
  )

const headerValue = headerValueOf(headerText)
/** Of a `Location`. */
export const reference = text('a URI reference', referenceProblem)
const locationValue = headerValueOf(reference)

/** Header fields by name; no two names differ in case only. */
export const headers: Rule = dynamic(
  rule({ type: 'object', additionalProperties: headerValue.schema }, (value, path, report) => {
    if (!isMap(value)) return report.issue(path, 'expected a map of header names to values')
    const names = new Set<string>()
    for (const [name, item, at] of entriesAt(value, path)) {
      const isTwice = names.has(name.toLowerCase())
      const problem =
        headerNameProblem(name) ?? (isTwice ? 'the header is declared twice' : undefined)
      names.add(name.toLowerCase())
      const rule = name.toLowerCase() === 'location' ? locationValue : headerValue
      if (problem === undefined) rule(item, at, report)
      else report.issue(at, problem)
    }
  }),
)

/** The schemes that a request may come by. */
export const schemes = dynamic(
  listOf(dynamic(oneOf(['http', 'https'])), 'a list of http and https'),
)

/** An IP address, or a network of them. */
export const network = must(
  'an IP address or address/prefix',
  (value) => typeof value === 'string' && readRange(value) !== undefined,
  { type: 'string' },
)

/** The networks that requests may come from. */
export const allowFrom = dynamic(listOf(dynamic(network), 'a list of networks, such as 10.0.0.0/8'))

/** A path without bindings and brackets. */
export const fixedPath = dynamic(text('a fixed path', fixedPathProblem))

/** The name of a header that a document may set or read. */
export const headerName = text('the name of a header', headerNameProblem)
