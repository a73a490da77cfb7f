/** Events about changes: what this node tells the others when something was loaded or deleted here. */
import type { Log } from '#component/log.ts'
import type { Entry, Kind } from '#component/replica/entry.ts'
import { uris } from '#component/wamp/uris.ts'
import { isWithin } from './answers.ts'
import type { Wire } from './wire.ts'

interface Topics {
  readonly load: string
  readonly delete: string
}

/** Of what only gateways know. */
const ownTopics: Topics = { load: uris.topics.change, delete: uris.topics.change }

const topicsOf: Readonly<Record<Kind, Topics>> = {
  api_spec: { load: uris.topics.onLoad, delete: uris.topics.onDelete },
  realm: { load: uris.topics.onRealmLoad, delete: uris.topics.onRealmDelete },
  realm_key: ownTopics,
  revocation: ownTopics,
  api_key: ownTopics,
  oidc_user: ownTopics,
  id_token: ownTopics,
}

/** All topics of changes. */
export const changeTopics: readonly string[] = [
  ...new Set(Object.values(topicsOf).flatMap((topics) => [topics.load, topics.delete])),
]

/** Bytes of JSON text up to which a document is told to everybody; a larger one is fetched by who lacks it. */
const maxInlineBytes = 64 * 1024

/** Realms hold what only gateways should be sent: all at once, passwords among it, and seldom. */
const isInline = ({ kind, document }: Entry): boolean =>
  document === null || (kind !== 'realm' && isWithin(document, maxInlineBytes))

/** Tells the others of a change. Never rejects: the next heartbeat heals what is lost. */
export async function announceChange(
  wire: Pick<Wire, 'publish'>,
  log: Pick<Log, 'warn'>,
  node: string,
  entry: Entry,
): Promise<void> {
  const { document, ...told } = entry
  const { kind, id, stamp, hash } = told
  const topic = topicsOf[kind][document === null ? 'delete' : 'load']
  const clear = topic === uris.topics.change ? { node } : { id, ts: stamp.ms, hash, node }
  const content = { entry: isInline(entry) ? entry : told }
  try {
    await wire.publish(topic, clear, content)
  } catch (err) {
    log.warn({ err, topic, id }, 'an event was not published')
  }
}
