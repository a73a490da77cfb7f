/** The router's own procedures, which list and end sessions and look up registrations and subscriptions (WAMP: Meta API). */
import { isLooseUri, isMatch, matches } from '#component/syntax/wamp-uri.ts'
import { code } from '#component/wamp/messages.ts'
import type { CallMessage, Options } from './messages.ts'
import type { PatternTable } from './pattern-table.ts'
import type { Pattern, Registration, Session, Subscription } from './session.ts'

/** The state of the realm that the procedures read. */
export interface MetaPorts {
  readonly sessions: ReadonlyMap<number, Session>
  /** Whether a session may be ended by another one. */
  readonly mayEnd: (caller: Session, session: Session) => boolean
  readonly registrations: PatternTable<Registration>
  readonly subscriptions: PatternTable<Subscription>
}

interface MetaCall {
  readonly caller: Session
  readonly args: readonly unknown[]
  readonly kwargs: Options
}

type MetaProcedure = (ports: MetaPorts, call: MetaCall) => unknown

/** An ERROR of a meta procedure. */
class MetaError extends Error {
  readonly uri: string

  constructor(uri: string, message: string) {
    super(message)
    this.uri = uri
  }
}

function text(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new MetaError('wamp.error.invalid_argument', `expected ${what}`)
}

function find<T>(map: ReadonlyMap<number, T>, id: unknown, kind: string): T {
  const found = typeof id === 'number' ? map.get(id) : undefined
  if (found !== undefined) return found
  throw new MetaError(`wamp.error.no_such_${kind}`, `the ${kind} does not exist`)
}

/** The sessions with one of the roles that the first argument lists; all without it. */
function filtered({ sessions }: MetaPorts, [roles]: readonly unknown[]): Session[] {
  const all = [...sessions.values()]
  if (roles === undefined || roles === null) return all
  if (!Array.isArray(roles)) {
    throw new MetaError('wamp.error.invalid_argument', 'expected a list of roles')
  }
  return all.filter(({ authroles }) => authroles.some((role) => roles.includes(role)))
}

/** Ends sessions, as far as the caller may, never the caller's own; their ids. */
function kill(
  { mayEnd }: MetaPorts,
  sessions: Iterable<Session>,
  { caller, kwargs }: MetaCall,
): number[] {
  const { reason = 'wamp.close.killed', message } = kwargs
  if (!isLooseUri(text(reason, 'a URI as reason'))) {
    throw new MetaError('wamp.error.invalid_uri', 'the reason is not a URI')
  }
  const killed = [...sessions].filter((session) => session !== caller && mayEnd(caller, session))
  for (const session of killed) {
    session.end(String(reason), typeof message === 'string' ? message : undefined)
  }
  return killed.map(({ id }) => id)
}

const byId = ({ id }: { readonly id: number }): number => id

/** The procedures that registrations and subscriptions have in common. */
function lookups<E extends Pattern>(
  kind: 'registration' | 'subscription',
  tableOf: (ports: MetaPorts) => PatternTable<E>,
  peersOf: (entry: E) => Iterable<Session>,
): readonly (readonly [string, MetaProcedure])[] {
  const peers = kind === 'registration' ? 'callees' : 'subscribers'
  return [
    [
      `wamp.${kind}.list`,
      (ports) =>
        Object.fromEntries(
          matches.map((match) => [match, [...tableOf(ports).index.values(match)].map(byId)]),
        ),
    ],
    [
      `wamp.${kind}.lookup`,
      (ports, { args: [uri, options] }) => {
        const match = (options as Options | null | undefined)?.match ?? 'exact'
        if (!isMatch(match)) {
          throw new MetaError(
            'wamp.error.option_not_allowed',
            'match is not exact, prefix or wildcard',
          )
        }
        return tableOf(ports).index.get(match, text(uri, 'a URI'))?.id ?? null
      },
    ],
    [
      `wamp.${kind}.get`,
      (ports, { args: [id] }) => {
        const entry = find(tableOf(ports).byId, id, kind)
        const { uri, match, created } = entry
        const invoke = 'invoke' in entry ? { invoke: entry.invoke } : {}
        return { id: entry.id, created, uri, match, ...invoke }
      },
    ],
    [
      `wamp.${kind}.list_${peers}`,
      (ports, { args: [id] }) => [...peersOf(find(tableOf(ports).byId, id, kind))].map(byId),
    ],
    [
      `wamp.${kind}.count_${peers}`,
      (ports, { args: [id] }) => [...peersOf(find(tableOf(ports).byId, id, kind))].length,
    ],
  ]
}

const procedures: ReadonlyMap<string, MetaProcedure> = new Map([
  ['wamp.session.count', (ports, { args }) => filtered(ports, args).length],
  ['wamp.session.list', (ports, { args }) => filtered(ports, args).map(byId)],
  ['wamp.session.get', ({ sessions }, { args: [id] }) => find(sessions, id, 'session').describe()],
  [
    'wamp.session.kill',
    (ports, call) => {
      const session = find(ports.sessions, call.args[0], 'session')
      if (session === call.caller) find(ports.sessions, undefined, 'session')
      if (kill(ports, [session], call).length > 0) return null
      throw new MetaError('wamp.error.not_authorized', 'the caller may not end the session')
    },
  ],
  [
    'wamp.session.kill_by_authid',
    (ports, call) => {
      const wanted = text(call.args[0], 'an authid')
      return kill(
        ports,
        [...ports.sessions.values()].filter(({ authid }) => authid === wanted),
        call,
      )
    },
  ],
  [
    'wamp.session.kill_by_authrole',
    (ports, call) => {
      const role = text(call.args[0], 'a role')
      return kill(
        ports,
        [...ports.sessions.values()].filter(({ authroles }) => authroles.includes(role)),
        call,
      )
    },
  ],
  ['wamp.session.kill_all', (ports, call) => kill(ports, ports.sessions.values(), call).length],
  ...lookups(
    'registration',
    ({ registrations }) => registrations,
    ({ callees }) => callees,
  ),
  [
    'wamp.registration.match',
    ({ registrations }, { args: [uri] }) =>
      registrations.index.best(text(uri, 'a URI'))?.id ?? null,
  ],
  ...lookups(
    'subscription',
    ({ subscriptions }) => subscriptions,
    ({ subscribers }) => subscribers,
  ),
  [
    'wamp.subscription.match',
    ({ subscriptions }, { args: [uri] }) => subscriptions.index.all(text(uri, 'a URI')).map(byId),
  ],
] satisfies (readonly [string, MetaProcedure])[])

/** Answers a CALL of a `wamp.*` procedure. */
export function callMeta(ports: MetaPorts, caller: Session, message: CallMessage): void {
  const [, request, , uri, args = [], kwargs = {}] = message
  const procedure = procedures.get(uri)
  if (procedure === undefined) {
    const text = 'the router does not have this procedure'
    caller.refuse(code.call, request, 'wamp.error.no_such_procedure', text)
    return
  }
  try {
    caller.send([code.result, request, {}, [procedure(ports, { caller, args, kwargs })]])
  } catch (error) {
    if (!(error instanceof MetaError)) throw error
    caller.refuse(code.call, request, error.uri, error.message)
  }
}
