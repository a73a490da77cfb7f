/** Events about changes: tell the other gateways of a document that was loaded or deleted on this node. */
import { stringifyJson, withMember } from '#component/codec/json.ts'
import type { Log } from '#component/log.ts'
import type { Entry, Kind } from '#component/replica/entry.ts'
import { opened } from '#component/replica/envelope.ts'
import { isWithin } from './answers.ts'
import { topics } from './topics.ts'
import type { Wire } from './wire.ts'

interface Topics {
  readonly load: string
  readonly delete: string
}

/** For kinds that only gateways use. */
const ownTopics: Topics = { load: topics.change, delete: topics.change }

const topicsOf: Readonly<Record<Kind, Topics>> = {
  api_spec: { load: topics.onLoad, delete: topics.onDelete },
  realm: { load: topics.onRealmLoad, delete: topics.onRealmDelete },
  realm_key: ownTopics,
  revocation: ownTopics,
  api_key: ownTopics,
  oidc_user: ownTopics,
  id_token: ownTopics,
  trace: ownTopics,
  endpoint: ownTopics,
}

/** All topics of changes. */
export const changeTopics: readonly string[] = [
  ...new Set(Object.values(topicsOf).flatMap(({ load, delete: gone }) => [load, gone])),
]

/** Bytes of JSON text up to which a document is sent with the event; peers fetch a larger one. */
const maxInlineBytes = 64 * 1024

/** Realms are fetched, not sent: they hold passwords, and change seldom. */
const isInline = ({ kind, document }: Entry, text: string | undefined): boolean =>
  document === null ||
  (kind !== 'realm' &&
    (text === undefined
      ? isWithin(document, maxInlineBytes)
      : Buffer.byteLength(text) <= maxInlineBytes))

/**
 * Publishes a change. Never rejects: after a lost event the next heartbeat leads to an exchange.
 * @param text of the document, where it is there already
 */
export async function announceChange(
  wire: Wire,
  log: Log,
  node: string,
  entry: Entry,
  text?: string,
): Promise<void> {
  const { document, ...told } = entry
  const { kind, id, stamp } = told
  const { hash } = opened(entry)
  const topic = topicsOf[kind][document === null ? 'delete' : 'load']
  const clear = topic === topics.change ? { node } : { id, ts: stamp.ms, hash, node }
  const isSent = isInline(entry, text)
  try {
    if (isSent && text !== undefined) {
      const written = withMember(stringifyJson(told), 'document', text)
      await wire.publish(topic, clear, {}, undefined, { entry: written })
    } else await wire.publish(topic, clear, { entry: isSent ? entry : told })
  } catch (err) {
    log.warn({ err, topic, id }, 'an event was not published')
  }
}
