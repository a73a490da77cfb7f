/** An answer as it is kept: sealed, and without what belongs to one exchange. */
import type { Reply } from '#component/gateway/exchange.ts'
import type { SecretBox } from '#component/secret-box.ts'

/** Fields of one exchange, which a later one has of its own. */
const ofExchange: ReadonlySet<string> = new Set([
  'date',
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'idempotency-replayed',
])

interface Kept {
  readonly status: number
  readonly headers: Reply['headers']
  readonly text?: string
  readonly base64?: string
}

const purposeOf = (scope: string): string => `idempotent answer ${scope}`

/**
 * Seals an answer.
 * @param reply with a body of text or bytes, or with none
 * @param scope under which it is kept: it is opened under the same one only
 */
export function sealAnswer(
  { status, headers, body }: Reply,
  scope: string,
  box: Pick<SecretBox, 'seal'>,
): string {
  const fields = Object.entries(headers).filter(([name]) => !ofExchange.has(name))
  const content = body.kind === 'bytes' ? body.bytes : undefined
  const kept: Kept = {
    status,
    headers: Object.fromEntries(fields),
    ...(typeof content === 'string' && { text: content }),
    ...(content instanceof Uint8Array && { base64: Buffer.from(content).toString('base64') }),
  }
  return box.seal(JSON.stringify(kept), purposeOf(scope))
}

/** undefined: it was not sealed under this scope. */
export function openAnswer(
  sealed: string,
  scope: string,
  box: Pick<SecretBox, 'open'>,
): Reply | undefined {
  const json = box.open(sealed, purposeOf(scope))
  if (json === undefined) return undefined
  const { status, headers, text, base64 } = JSON.parse(json) as Kept
  const bytes = text ?? (base64 === undefined ? undefined : Buffer.from(base64, 'base64'))
  return {
    status,
    headers,
    body: bytes === undefined ? { kind: 'none' } : { kind: 'bytes', bytes },
  }
}
