/** The senders of webhooks that a realm declares (`info.webhook_senders`), with defaults, and the keys by which they sign. */
import type { Clock } from '#component/clock.ts'
import {
  type WebhookEncoding,
  type WebhookHash,
  type WebhookScheme,
  webhookSchemes,
} from '#component/realm/documents/info/webhook-rules.ts'
import { publicKeyOf } from '#component/realm/ed25519.ts'
import type { Realms } from '#component/realm/realms.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { readStandardSecret } from '#component/syntax/webhook-secret.ts'
import { HmacKey } from './hmac.ts'
import { OpenedKeys, secretsIn } from './opened-keys.ts'
import type { WebhookKey } from './signature.ts'

/** A sender. */
export interface Sender {
  readonly scheme: WebhookScheme
  /** As whom its requests pass; undefined: anonymous. */
  readonly username: string | undefined
  /** Seconds between the signature and now. */
  readonly tolerance: number
  /** The field of the signature, in lower case; of schemes with one signature over the body alone. */
  readonly header: string
  /** What stands before the signature. */
  readonly prefix: string
  readonly algorithm: WebhookHash
  readonly encoding: WebhookEncoding
  /** The field that names the message, in lower case; undefined: none does, or the scheme says it. */
  readonly id_header: string | undefined
  /** Sealed, in the clear, or references; opened by `Realms.openSecret`. */
  readonly secrets: readonly unknown[]
}

/** What a sender of each scheme is where the realm says nothing else. */
const presets: Readonly<Record<WebhookScheme, Partial<Sender>>> = {
  standard: { encoding: 'base64' },
  stripe: {},
  github: { header: 'x-hub-signature-256', prefix: 'sha256=', id_header: 'x-github-delivery' },
  hmac: {},
}

const settingsOfHmac = ['header', 'prefix', 'algorithm', 'encoding', 'id_header'] as const

/** The sender as a realm document declares it; undefined for one that no load lets pass. */
function readSender(entry: JsonMap): Sender | undefined {
  const scheme = webhookSchemes.find((one) => one === entry.scheme)
  if (scheme === undefined) return undefined
  const texts = settingsOfHmac.flatMap((key) => {
    const value = scheme === 'hmac' ? entry[key] : undefined
    if (typeof value !== 'string') return []
    return [[key, key.endsWith('header') ? value.toLowerCase() : value]]
  })
  const { tolerance, username } = entry
  return {
    ...{ header: '', prefix: '', algorithm: 'sha256', encoding: 'hex', id_header: undefined },
    ...presets[scheme],
    ...Object.fromEntries(texts),
    scheme,
    username: typeof username === 'string' ? username : undefined,
    tolerance: typeof tolerance === 'number' ? tolerance : 300,
    secrets: secretsIn(entry),
  }
}

/** The key of a secret; undefined for one that the scheme cannot have. */
function keyOf(text: string, { scheme, algorithm }: Sender): WebhookKey | undefined {
  const { kind, bytes } =
    scheme === 'standard'
      ? (readStandardSecret(text) ?? { kind: 'hmac', bytes: Buffer.of() })
      : ({ kind: 'hmac', bytes: Buffer.from(text) } as const)
  if (bytes.length === 0) return undefined
  return kind === 'hmac'
    ? { kind, key: new HmacKey(algorithm, bytes) }
    : { kind, key: publicKeyOf(bytes) }
}

/** The parts that know the senders. */
export interface SendersPorts {
  readonly realms: Pick<Realms, 'realm' | 'openSecret'>
  readonly clock: Pick<Clock, 'now'>
}

/** Finds senders, and opens their secrets. */
export class Senders {
  readonly #ports: SendersPorts
  /** By the entry in the realm, which is another one when the realm was built anew. */
  readonly #read = new WeakMap<object, Sender>()
  readonly #keys: OpenedKeys<Sender, WebhookKey>

  constructor(ports: SendersPorts) {
    this.#ports = ports
    this.#keys = new OpenedKeys(ports.clock, keyOf)
  }

  /** A sender of the realm by its name. */
  find(realm_uri: string, name: string): Sender | undefined {
    const senders = this.#ports.realms.realm(realm_uri)?.info.webhook_senders
    const entry = isMap(senders) && Object.hasOwn(senders, name) ? senders[name] : undefined
    if (!isMap(entry)) return undefined
    const known = this.#read.get(entry)
    if (known) return known
    const sender = readSender(entry)
    if (sender) this.#read.set(entry, sender)
    return sender
  }

  /** The keys of a sender. Rejects where a secret is in a file that cannot be read; a secret that cannot be opened, or is malformed, has no key. */
  keys(realm_uri: string, sender: Sender): readonly WebhookKey[] | Promise<readonly WebhookKey[]> {
    const { realms } = this.#ports
    return this.#keys.of(sender, (secret) => realms.openSecret(realm_uri, secret))
  }
}
