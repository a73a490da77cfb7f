/** The rules of what tells that a version, a path or an operation is deprecated, and when it ends. */
import { describe } from './report.ts'
import { boolean, type Rule, rule, string, text } from './rules.ts'
import { readDate, readDateTime } from './syntax.ts'

/** Behaviour: `Sunset` is sent when it is a date; another text is only worth a warning. */
const sunset: Rule = rule(string.schema, (value, path, report) => {
  string(value, path, report)
  if (typeof value === 'string' && readDate(value) === undefined) {
    report.warn(path, `${describe(value)} is not a date: no Sunset header is sent`)
  }
})

const dateTime: Rule = text(
  'a date or date-time such as "2026-11-30" or "2026-11-30T12:00:00Z"',
  (value) => (readDateTime(value) === undefined ? 'there is no such date' : undefined),
)

/** Keys of paths and operations; a version has `sunset` in its `info`. */
export const lifetimeKeys = { is_deprecated: boolean, deprecated_at: dateTime, sunset }
