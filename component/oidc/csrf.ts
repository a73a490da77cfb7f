/** The value of the CSRF cookie: random, and signed for one ticket, so that a planted value fails (signed double submit). */
import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { SecretBox } from '#component/secret-box.ts'

type Box = Pick<SecretBox, 'derive'>

const signatureOf = (box: Box, realm_uri: string, ticket_id: string, random: string): string =>
  box.derive('oidc csrf', realm_uri, ticket_id, random).toString('base64url')

/** A new value for the CSRF cookie that goes with a ticket: `<UUID>.<signature>`. */
export function csrfOf(box: Box, realm_uri: string, ticket_id: string): string {
  const random = randomUUID()
  return `${random}.${signatureOf(box, realm_uri, ticket_id, random)}`
}

/** Whether the value was made for this ticket, under this `store.key`. */
export function isCsrf(box: Box, value: string, realm_uri: string, ticket_id: string): boolean {
  const dot = value.indexOf('.')
  const given = Buffer.from(value.slice(dot + 1))
  const expected = Buffer.from(signatureOf(box, realm_uri, ticket_id, value.slice(0, dot)))
  return dot > 0 && given.length === expected.length && timingSafeEqual(given, expected)
}
