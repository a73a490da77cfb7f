/** The rules of `quota`: how many requests are served in an hour, a day, a month, or another window. */
import { described, dynamic, must, oneOf, type Rule } from '#component/spec/rules.ts'
import { limits } from './rules.ts'

/** Windows of the calendar, in UTC. */
const calendar = ['hour', 'day', 'month']
/** Seconds: a minute, below which the use is not exchanged often enough, to 31 days. */
const [shortest, longest] = [60, 2_678_400]

const isWindow = (value: unknown) =>
  calendar.includes(value as string) ||
  (Number.isInteger(value) && Number(value) >= shortest && Number(value) <= longest)

const window = must(
  `one of ${calendar.join(', ')}, or an integer of seconds from ${shortest} to ${longest}`,
  isWindow,
  { anyOf: [{ enum: calendar }, { type: 'integer', minimum: shortest, maximum: longest }] },
)

export const quotaRule: Rule = limits(
  {
    window: described(
      dynamic(window),
      'hour, day or month of the calendar (UTC), or seconds: windows of seconds are counted from 1970-01-01T00:00:00Z.',
    ),
    count: described(
      dynamic(oneOf(['all', 'success'])),
      'success: only requests whose answer has a status below 400 stay counted.',
      { default: 'all' },
    ),
  },
  'quotas',
  'How many requests are served in a window of the calendar. Further ones are refused with 429. null: any number.',
)
