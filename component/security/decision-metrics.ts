/** Counts which alternatives decide about requests: whether anybody still uses one of them. */
import { Family, type SeriesStock } from '#component/metrics/family.ts'
import type { DecisionWatch } from './alternatives/authenticate.ts'

/** The metric of decisions, of paths with alternatives only. */
export function decisionMetrics(stock: SeriesStock): DecisionWatch {
  const family = new Family(
    {
      name: 'gateway_security_decisions_total',
      help: 'Requests to paths with several kinds of credentials, by API Specification, version, the name of the alternative that decides, and how it decides.',
      subject: 'via',
      labels: ['result'],
    },
    stock,
  )
  return { decided: (version, via, result) => family.at(version, via, result).add() }
}
