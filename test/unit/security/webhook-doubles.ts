/** A webhook scheme over senders that a test declares, and requests to it. */
import type { Realm } from '#component/realm/documents/model.ts'
import { WebhookScheme } from '#component/security/webhook/authenticate.ts'
import {
  FakeAttempts,
  FakeLogins,
  outcomeOf,
  protectedBy,
  realm_uri,
  requestWith,
} from './doubles.ts'

/** What arrives. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Senders of one realm, and how messages of the sender `it` fare. */
export class WebhookStage {
  /** Seconds since the epoch. */
  now: number
  senders: Readonly<Record<string, unknown>>
  readonly logins = new FakeLogins()
  readonly attempts: FakeAttempts
  /** How often the body was read. */
  reads = 0
  /** What the realm opens secrets to; others are as they stand. */
  openSecret = async (_realm: string, value: unknown): Promise<string | undefined> => String(value)
  readonly #scheme: WebhookScheme

  constructor(sender: unknown, now = 0, mostFailures = 1_000_000) {
    this.senders = { it: sender }
    this.now = now
    this.attempts = new FakeAttempts(mostFailures)
    this.#scheme = new WebhookScheme({
      realms: {
        realm: (uri) =>
          (uri === realm_uri
            ? { info: { webhook_senders: this.senders } }
            : undefined) as unknown as Realm,
        openSecret: (uri, value) => this.openSecret(uri, value),
      },
      clock: { now: () => this.now * 1000 },
      logins: this.logins,
      attempts: this.attempts,
    })
  }

  /** The identity of a message, or `[status, code, WWW-Authenticate]`. */
  ask({ headers, body = '' }: Message, sender = 'it', isAgain = false) {
    const request = requestWith(headers, undefined, {
      readBytes: async () => {
        this.reads += 1
        return Buffer.from(body)
      },
    })
    const protection = protectedBy('webhook', { sender })
    const judge = isAgain ? this.#scheme.authenticateAgain : this.#scheme.authenticate
    return outcomeOf(() => judge(request, protection))
  }
}

/** What is answered to messages that are not signed as they should be. */
export const refused = [401, 'service.error.unauthorized', `Webhook realm="${realm_uri}"`]
