/** What is warned of at an operation under `webhook`: it loads, since the realm may be loaded later. */
import type { Issue } from '#component/errors.ts'
import type { InheritedValues } from '#component/gateway/api.ts'
import { bodyMethods } from '#component/gateway/checks.ts'
import type { WebhookScheme } from '#component/realm/documents/info/webhook-rules.ts'
import type { Method } from '#component/request.ts'
import { membersOf } from '#component/security/scheme.ts'
import { senderOf } from '#component/security/webhook/kind.ts'

/** How a sender of a realm signs; undefined: the realm has no such sender. */
export type SchemeOfSender = (realm_uri: string, sender: string) => WebhookScheme | undefined

/** An operation. */
interface SecuredOperation {
  /** JSON Pointer. */
  readonly at: string
  readonly method: Method
  readonly inherited: InheritedValues
  /** Whether an upstream gets the body unread. */
  readonly passesUnread: boolean
}

/** The schemes whose signature is over the body alone. */
const ofBodyAlone: ReadonlySet<WebhookScheme> = new Set(['github', 'hmac'])

const held =
  'the signature makes the gateway read the body before it is forwarded: it is held in memory, up to body_max_bytes'

/** @param schemeOf absent: senders are not checked */
export function webhookWarnings(
  { at, method, inherited, passesUnread }: SecuredOperation,
  schemeOf: SchemeOfSender | undefined,
): Issue[] {
  const { protection, protectedAt } = inherited
  const signed = membersOf(protection).filter(({ kind }) => kind.signsBody)
  if (signed.length === 0 || method === 'options') return []
  const warnings: Issue[] = passesUnread ? [{ path: at, message: held }] : []
  if (schemeOf === undefined) return warnings
  for (const { realm_uri, object } of signed) {
    const sender = senderOf(object)
    const scheme = schemeOf(realm_uri, sender)
    if (scheme === undefined) {
      const message = `${realm_uri} has no sender ${JSON.stringify(sender)} in info.webhook_senders: every request gets 401`
      warnings.push({ path: protectedAt, message })
    } else if (ofBodyAlone.has(scheme) && !bodyMethods.has(method)) {
      const message = `the sender ${JSON.stringify(sender)} signs the body alone (${scheme}): without a body all its signatures are one, so whoever knows it can send the request`
      warnings.push({ path: at, message })
    }
  }
  return warnings
}
