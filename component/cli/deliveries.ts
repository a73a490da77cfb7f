/** `deliveries`: what documents send for events, what waits and why, and what operators do about it. */
import { isMap, type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import { AdminClient } from './admin-client.ts'
import { CommandError, exitCode, type Invocation, type Result, type Run } from './command.ts'
import { listOf, pathOf, timeOf } from './documents.ts'
import { pretty, shownText } from './format.ts'
import { table } from './table.ts'

/** What may be done to a delivery, and whether it is done to chosen events, or to the endpoints that users have at it. */
const verbs: Readonly<Record<string, 'delivery' | 'events' | 'event' | 'endpoints' | 'endpoint'>> =
  {
    pause: 'delivery',
    resume: 'delivery',
    test: 'delivery',
    replay: 'events',
    drop: 'events',
    show: 'event',
    endpoints: 'endpoints',
    remove: 'endpoint',
  }

/** A state with its reason. */
const stateOf = ({ state, reason }: JsonMap): string =>
  reason === null || reason === undefined
    ? shownText(state)
    : `${shownText(state)} (${shownText(reason)})`

const head = [
  'DOCUMENT',
  'DELIVERY',
  'TOPIC',
  'STATE',
  'PENDING',
  'DEAD',
  'OLDEST',
  'GAPS',
  'OWNER',
]

const rowOf = (row: JsonMap): readonly string[] => [
  ...[
    shownText(row.api_spec),
    shownText(row.name),
    shownText(row.topic),
    stateOf(row),
    shownText(row.pending),
  ],
  ...[shownText(row.dead), timeOf(row.oldest_at), shownText(row.gaps), shownText(row.owner)],
]

/** `[{realm_uri, api_spec, name, …}]` */
async function list(client: AdminClient, id: string | undefined): Promise<Result> {
  const path = id === undefined ? '/deliveries' : pathOf(id, '/deliveries')
  const { body } = await client.request('GET', path)
  const value = listOf(mapOrEmpty(body).deliveries)
  return { value, text: table(head, value.map(rowOf)) }
}

const eventHead = ['EVENT', 'TOPIC', 'STATE', 'ATTEMPTS', 'ACCEPTED', 'DUE', 'LAST']

const eventRowOf = (event: JsonMap): readonly string[] => [
  ...[
    shownText(event.webhook_id),
    shownText(event.topic),
    stateOf(event),
    shownText(event.attempts),
  ],
  ...[timeOf(event.accepted_at), timeOf(event.due_at), shownText(event.status ?? event.error)],
]

/** The query of these options. */
function queryOf(invocation: Invocation, options: readonly string[]): string {
  const query = new URLSearchParams()
  for (const option of options) {
    const value = invocation.option(option)
    if (value !== undefined) query.set(option, value)
  }
  return query.size > 0 ? `?${query}` : ''
}

/** `{delivery, events, cursor, gaps}` */
async function events(client: AdminClient, at: string, invocation: Invocation): Promise<Result> {
  const asked = queryOf(invocation, ['state', 'after', 'limit', 'endpoint'])
  const { body } = await client.request('GET', `${at}/events${asked}`)
  const value = mapOrEmpty(body)
  const { delivery, cursor } = value
  const gaps = listOf(value.gaps).map(({ reason, since, until, count }) => [
    ...[
      shownText(reason),
      shownText(since),
      shownText(until),
      count === null ? 'unknown' : shownText(count),
    ],
  ])
  const parts = [
    table(head, isMap(delivery) ? [rowOf(delivery)] : []),
    table(eventHead, listOf(value.events).map(eventRowOf)),
    ...(gaps.length > 0 ? [table(['GAP', 'SINCE', 'UNTIL', 'EVENTS'], gaps)] : []),
    ...(typeof cursor === 'string' ? [`There are more: --after ${cursor}\n`] : []),
  ]
  return { value, text: parts.join('\n') }
}

const endpointHead = ['ENDPOINT', 'USER', 'URL', 'STATE', 'PENDING', 'DEAD', 'GAPS', 'PERMITTED']

const endpointRowOf = (row: JsonMap): readonly string[] => [
  ...[
    shownText(row.id),
    shownText(row.user),
    shownText(row.url),
    stateOf(row),
    shownText(row.pending),
  ],
  ...[shownText(row.dead), shownText(row.gaps), shownText(row.is_permitted)],
]

/** `[{id, user, url, state, reason, …}]` */
async function endpoints(client: AdminClient, at: string): Promise<Result> {
  const { body } = await client.request('GET', `${at}/endpoints`)
  const value = listOf(mapOrEmpty(body).endpoints)
  return { value, text: table(endpointHead, value.map(endpointRowOf)) }
}

/** A value as a segment of a path. @throws CommandError where the option is missing */
function segmentOf(value: string | undefined, option: string): string {
  if (value === undefined) throw new CommandError(exitCode.usage, `expected --${option}`)
  return encodeURIComponent(value)
}

/** The events that replay and drop are told. */
function selectionOf(invocation: Invocation): JsonMap {
  const ids = invocation.options('event')
  const state = invocation.option('state')
  if (ids.length > 0 === (state !== undefined)) {
    throw new CommandError(exitCode.usage, 'expected either --event or --state')
  }
  return state === undefined ? { webhook_ids: ids } : { state }
}

async function act(client: AdminClient, at: string, verb: string, invocation: Invocation) {
  const kind = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (kind === undefined) {
    const known = Object.keys(verbs).join(', ')
    throw new CommandError(exitCode.usage, `${verb}: expected one of ${known}`)
  }
  if (kind === 'endpoints') return endpoints(client, at)
  if (kind === 'endpoint') {
    await client.request(
      'DELETE',
      `${at}/endpoints/${segmentOf(invocation.option('endpoint'), 'endpoint')}`,
    )
    return { value: null, text: 'removed\n' }
  }
  const asked = queryOf(invocation, ['endpoint'])
  if (kind === 'event') {
    const shown = `${at}/events/${segmentOf(invocation.options('event')[0], 'event')}${asked}`
    const { body } = await client.request('GET', shown)
    return { value: body, text: `${pretty(body)}\n` }
  }
  const sent = kind === 'events' ? JSON.stringify(selectionOf(invocation)) : '{}'
  const { body } = await client.request('POST', `${at}/${verb}${asked}`, sent)
  const value = mapOrEmpty(body)
  if (kind === 'events')
    return { value, text: `${shownText(value.count)} ${value.count === 1 ? 'event' : 'events'}\n` }
  if (verb !== 'test') return { value, text: table(head, [rowOf(value)]) }
  const isTaken = typeof value.status === 'number' && value.status >= 200 && value.status < 300
  return {
    value,
    text: `${shownText(value.status ?? value.error)}\n`,
    code: isTaken ? exitCode.ok : exitCode.findings,
  }
}

/** `deliveries`: a list; of one delivery its events and gaps; or what a verb has done. */
export const deliveries: Run = async (invocation) => {
  const client = new AdminClient(invocation)
  const [id, name, verb] = invocation.positionals
  if (id === undefined || name === undefined) return list(client, id)
  const at = pathOf(id, `/deliveries/${encodeURIComponent(name)}`)
  return verb === undefined ? events(client, at, invocation) : act(client, at, verb, invocation)
}
