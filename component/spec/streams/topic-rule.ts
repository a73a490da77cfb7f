/** The rule of the topic of `wamp_subscribe`, which depends on how the topic is compared with those of events. */
import { pointer } from '#component/codec/json.ts'
import type { Report } from '#component/spec/report.ts'
import { isExpression } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { isMatch, type Match, uriProblem } from '#component/syntax/wamp-uri.ts'

const allowed: Readonly<Record<Match, string>> = {
  exact: 'a WAMP URI',
  prefix: 'the beginning of a WAMP URI',
  wildcard: 'a WAMP URI, whose empty parts stand for any',
}

/** Reports a topic that is known and is none. */
export function checkTopic({ topic, match = 'exact' }: JsonMap, at: string, report: Report): void {
  if (topic === undefined || isExpression(topic) || !isMatch(match)) return
  const path = pointer(at, 'topic')
  if (typeof topic !== 'string') {
    report.expected(path, allowed[match], topic)
    return
  }
  const problem = topic === '' ? 'it is empty and would fit every topic' : uriProblem(topic, match)
  if (problem === undefined) return
  report.issue(path, `expected ${allowed[match]}${report.got(topic)}: ${problem}`)
}
