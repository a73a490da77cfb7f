/** Finds procedures of documents that call one another in a circle: no call of them ever has a result. */
import type { Issue } from '#component/errors.ts'
import type { Route } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { isMatched } from '#component/syntax/wamp-uri.ts'

type Entry = RouteEntry<Route>

const callsOf = ({ procedure }: Entry): readonly string[] => procedure?.calls ?? []

/** Finds the procedures that a call of a realm may reach. */
function reachedBy(entries: readonly Entry[]): (realm_uri: string, called: string) => Entry[] {
  const byUri = Map.groupBy(entries, ({ realm_uri, procedure }) =>
    procedure?.match === 'exact' ? `${realm_uri}\n${procedure.uri}` : '',
  )
  const patterns = byUri.get('') ?? []
  return (realm_uri, called) =>
    // a router prefers the registration of the URI itself
    byUri.get(`${realm_uri}\n${called}`) ??
    patterns.filter(
      ({ realm_uri: other, procedure }) =>
        other === realm_uri && procedure && isMatched(called, procedure.uri, procedure.match),
    )
}

/**
 * @param entries the procedures of all documents
 * @param api_spec of which document circles are told
 * @returns a warning for each of its procedures that a call of it comes back to. Calls whose URI is an expression are not followed
 */
export function cyclesOf(entries: readonly Entry[], api_spec: string): readonly Issue[] {
  const own = entries.filter((entry) => entry.api === api_spec && callsOf(entry).length > 0)
  if (own.length === 0) return []
  const reached = reachedBy(entries)
  return own.flatMap((start) => {
    const circle = circleFrom(start, reached)
    if (circle === undefined) return []
    const names = circle.map(({ api, procedure }) =>
      api === api_spec ? procedure?.uri : `${procedure?.uri} (${api})`,
    )
    const message = `calls in a circle: ${names.join(' → ')}; such a call ends in service.error.loop_detected`
    return [{ path: `${start.path}/action`, message }]
  })
}

/** The shortest way of calls from a procedure back to it; undefined: there is none. */
function circleFrom(
  start: Entry,
  reached: ReturnType<typeof reachedBy>,
): readonly Entry[] | undefined {
  const before = new Map<Entry, Entry>()
  const open = [start]
  for (const entry of open) {
    for (const called of callsOf(entry)) {
      for (const next of reached(entry.realm_uri, called)) {
        if (next === start) return wayTo(entry, start, before)
        if (before.has(next)) continue
        before.set(next, entry)
        open.push(next)
      }
    }
  }
  return undefined
}

function wayTo(last: Entry, start: Entry, before: ReadonlyMap<Entry, Entry>): readonly Entry[] {
  const way = [start]
  for (let entry: Entry | undefined = last; entry && entry !== start; entry = before.get(entry)) {
    way.unshift(entry)
  }
  return [start, ...way]
}
