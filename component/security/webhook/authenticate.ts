/** `webhook` on a path: a message that a sender of the realm has signed, with its body as it was sent. */
import { ServiceError } from '#component/errors.ts'
import { anonymous, type Identity, identityOf } from '#component/identity.ts'
import type { Logins } from '#component/realm/logins.ts'
import { type Attempts, tooManyOf } from '#component/security/attempts.ts'
import {
  type AlternativeScheme,
  type Protection,
  type SecuredRequest,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import { senderOf } from './kind.ts'
import { type Sender, Senders, type SendersPorts } from './senders.ts'
import { isInTime, isMessageId, isSignedBy, readClaim, type SignedClaim } from './signature.ts'

/** The dependencies of the scheme. */
export interface WebhookPorts extends SendersPorts {
  readonly logins: Pick<Logins, 'user'>
  readonly attempts: Pick<Attempts, 'fail'>
}

/** Bodies in which the id of an event is looked for have at most this many bytes. */
const maxParsed = 262_144

/** The `id` of an event in the body, by which Stripe names it; undefined for one that no header could have. */
function idIn(body: Uint8Array): string | undefined {
  if (body.length > maxParsed) return undefined
  try {
    const event: unknown = JSON.parse(Buffer.from(body).toString())
    const isNamed = typeof event === 'object' && event !== null && 'id' in event
    return isNamed && typeof event.id === 'string' && isMessageId(event.id) ? event.id : undefined
  } catch {
    return undefined
  }
}

/** Lets a request pass that was signed by a key of its sender; as the user of the sender, or as nobody. */
export class WebhookScheme implements AlternativeScheme {
  readonly #ports: WebhookPorts
  readonly #senders: Senders

  constructor(ports: WebhookPorts) {
    this.#ports = ports
    this.#senders = new Senders(ports)
  }

  readonly isBrought: AlternativeScheme['isBrought'] = ({ request }, { realm_uri, object }) => {
    const sender = this.#senders.find(realm_uri, senderOf(object))
    return sender !== undefined && readClaim(request, sender) !== undefined
  }

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) =>
    this.#authenticate(request, protection, true)

  /** A message was in time when it came. */
  readonly authenticateAgain: SecurityScheme['authenticate'] = (request, protection) =>
    this.#authenticate(request, protection, false)

  async #authenticate(
    request: SecuredRequest,
    protection: Protection,
    isNew: boolean,
  ): Promise<Identity> {
    const { realm_uri, object, limits } = protection
    const sender = this.#senders.find(realm_uri, senderOf(object))
    if (sender === undefined) throw unauthorized(protection, 'the realm has no such sender')
    const claim = readClaim(request, sender)
    if (claim === undefined) throw unauthorized(protection)
    if (typeof claim === 'string') return this.#refuse(claim, request, protection, isNew)
    if (isNew && !isInTime(claim, sender, this.#ports.clock.now())) {
      return this.#refuse('the message was not signed just now', request, protection, isNew)
    }
    checkCoding(request)
    const body = await request.readBytes(limits)
    const opened = this.#senders.keys(realm_uri, sender)
    const keys = opened instanceof Promise ? await opened.catch(unreadable) : opened
    if (keys.length === 0) unreadable()
    if (!isSignedBy(claim, keys, body, sender)) {
      return this.#refuse('the signature does not fit', request, protection, isNew)
    }
    const id = claim.id ?? (sender.scheme === 'stripe' ? idIn(body) : undefined)
    return this.#identity(id, claim, sender, protection)
  }

  /** Refuses a message. A new message counts as a failure of the address that sent it: a stranger cannot lock out the real sender. */
  async #refuse(
    reason: string,
    { peername }: SecuredRequest,
    protection: Protection,
    isNew: boolean,
  ): Promise<never> {
    const { realm_uri: realm, type: authmethod } = protection
    if (!isNew) throw unauthorized(protection, reason)
    await this.#ports.attempts
      .fail(addressOf(peername))
      .catch(tooManyOf(() => ({ realm, authmethod })))
    throw unauthorized(protection, reason)
  }

  #identity(
    id: string | undefined,
    { timestamp }: SignedClaim,
    { username }: Sender,
    protection: Protection,
  ): Identity {
    const { realm_uri } = protection
    const message: { webhook_id?: string; webhook_timestamp?: number } = {}
    if (id !== undefined) message.webhook_id = id
    if (timestamp !== undefined) message.webhook_timestamp = timestamp
    if (username === undefined) return Object.assign(anonymous(realm_uri), message)
    const login = this.#ports.logins.user(realm_uri, username)
    if (login === undefined) {
      throw unauthorized(protection, 'the user of the sender is disabled or deleted', username)
    }
    const { user, roles } = login
    return identityOf({
      ...{ realm_uri, user, authroles: roles, authmethod: protection.type },
      ...message,
    })
  }
}

/** What is signed is what was sent; a sender that compresses is not known to any of the schemes. */
function checkCoding(request: SecuredRequest): void {
  const coding = request.header('content-encoding')?.toLowerCase() ?? 'identity'
  if (coding === 'identity') return
  const message = 'expected a body without a content coding: its signature is over what is sent'
  throw new ServiceError('service.error.unsupported_media_type', message)
}

/** Senders repeat what is answered so. */
function unreadable(cause?: unknown): never {
  throw new ServiceError(
    'service.error.unavailable',
    'the secrets of the sender cannot be read now',
    cause === undefined ? {} : { cause },
  )
}
