/** What `webhook` is: its row. */
import { webhookKeys } from '#component/identity.ts'
import { securityKind } from '#component/security/kind.ts'
import { string } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** The sender that a security object names. */
export const senderOf = ({ sender }: JsonMap): string => (typeof sender === 'string' ? sender : '')

/** A message that a sender of the realm has signed. */
export const webhook = securityKind({
  type: 'webhook',
  keys: { sender: string },
  required: { sender: 'the name of a sender in info.webhook_senders of the realm' },
  challenge: (realm) => `Webhook realm=${realm}`,
  describe: () => [[{ name: 'webhook', scheme: { type: 'http', scheme: 'webhook' } }]],
  cost: 5,
  exampleMethod: 'webhook',
  exampleIdentity: { webhook_id: 'msg_example', webhook_timestamp: 1_767_225_600 },
  feature: 'webhook',
  signsBody: true,
  identityKeys: webhookKeys,
})
