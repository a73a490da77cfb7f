/** Selects the subscribers that receive an event: publisher exclusion, and the lists of PUBLISH.Options. */
import type { Options } from './messages.ts'
import type { Session } from './session.ts'

interface List {
  readonly isEligible: boolean
  readonly values: ReadonlySet<unknown>
  readonly has: (session: Session, values: ReadonlySet<unknown>) => boolean
}

/** A test for subscribers. */
export type Recipients = (session: Session) => boolean

const attributes: Readonly<
  Record<string, (session: Session, values: ReadonlySet<unknown>) => boolean>
> = {
  '': (session, values) => values.has(session.id),
  _authid: (session, values) => values.has(session.authid),
  _authrole: (session, values) => session.authroles.some((role) => values.has(role)),
}

const everybody: Recipients = () => true

/** WAMP: Subscriber Black- and Whitelisting. Undefined when an option is no list. */
export function recipientsOf(options: Options): Recipients | undefined {
  const lists: List[] = []
  for (const suffix in attributes) {
    for (const kind of ['exclude', 'eligible'] as const) {
      const values = options[kind + suffix]
      if (values === undefined || values === null) continue
      if (!Array.isArray(values)) return undefined
      const has = attributes[suffix]
      if (has) lists.push({ isEligible: kind === 'eligible', values: new Set(values), has })
    }
  }
  if (lists.length === 0) return everybody
  return (session) => lists.every((list) => list.has(session, list.values) === list.isEligible)
}
