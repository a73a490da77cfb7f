/** The rules of `rate_limit`: how many requests are served in a time. */
import { described, dynamic, integer, oneOf, type Rule } from '#component/spec/rules.ts'
import { limits, maxAmount } from './rules.ts'

export const rateLimitRule: Rule = limits(
  {
    window: described(dynamic(integer(1, 86_400, ' of seconds')), 'Seconds.'),
    burst: described(
      dynamic(integer(1, maxAmount, ' of requests')),
      'How many requests may come at once. Absent: as many as the amount.',
    ),
    scope: described(
      oneOf(['all', 'process']),
      'all: all processes and nodes share the limit, as far as they hear of each other. process: each counts for itself.',
      { default: 'all' },
    ),
  },
  'limits',
  'How many requests are served in a time. Further ones are refused with 429. null: any number.',
)
