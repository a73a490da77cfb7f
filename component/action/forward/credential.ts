/** What a credential changes in a request to an upstream, and what it takes out of the answer. */
import type { Hinted } from '#component/action/action.ts'
import type { DroppedField, HeaderMap } from '#component/action/headers.ts'
import { redacted } from '#component/syntax/redacted.ts'
import type { Credential } from '#component/upstreams/credentials.ts'

/** A request to an upstream, as far as credentials change it. */
interface Request {
  /** Path and query. */
  readonly target: string
  readonly headers: HeaderMap
  /** The field `headers` of the action; undefined: those of the request are passed on. */
  readonly declared: unknown
}

/** What has taken the place of other fields: for who is told what was sent. */
export interface Credentialed {
  readonly credential: Credential
  readonly replaced: readonly DroppedField[]
}

const why = 'the upstream has credentials of its own'

/** The name of a parameter, as servers read it. */
function nameOf(parameter: string): string {
  const [name = ''] = parameter.split('=', 1)
  try {
    return decodeURIComponent(name.replaceAll('+', ' ')).toLowerCase()
  } catch {
    return name.toLowerCase()
  }
}

/** The target without the parameters of a name, in any letter case. */
function withoutParameter(target: string, name: string): string {
  const mark = target.indexOf('?')
  if (mark < 0) return target
  const parts = target.slice(mark + 1).split('&')
  const kept = parts.filter((part) => nameOf(part) !== name.toLowerCase())
  if (kept.length === parts.length) return target
  return kept.length === 0 ? target.slice(0, mark) : `${target.slice(0, mark)}?${kept.join('&')}`
}

const nothingReplaced: readonly DroppedField[] = []

/**
 * The request with the field of a credential in place of what has its name, and without what the client has proved itself to the gateway
 * with. Its parameter is added by {@link sentTarget}.
 * @param own names of the fields that a client proves itself with, in lower case
 */
export function withCredential<T extends Request>(
  request: T,
  credential: Credential,
  own: readonly string[],
): T & Credentialed {
  const { declared } = request
  const isPassed = declared === undefined || declared === ''
  const headers = { ...request.headers }
  let replaced = nothingReplaced
  const take = (name: string): void => {
    if (headers[name] === undefined) return
    delete headers[name]
    replaced = [...replaced, { name, why }]
  }
  const { field, parameter } = credential
  if (isPassed) {
    take('authorization')
    for (const name of own) take(name)
  }
  if (field) {
    take(field.name)
    headers[field.name] = field.value
  }
  const target = parameter ? withoutParameter(request.target, parameter.name) : request.target
  return { ...request, headers, target, credential, replaced }
}

/** The fields for who is told what was sent. */
export const shownFields = (headers: HeaderMap, { field }: Credential): HeaderMap =>
  field ? { ...headers, [field.name]: redacted } : headers

/** The target as it is sent: its parameter is the last one. */
export function sentTarget(target: string, { parameter }: Credential): string {
  if (parameter === undefined) return target
  const mark = target.includes('?') ? '&' : '?'
  return `${target}${mark}${encodeURIComponent(parameter.name)}=${encodeURIComponent(parameter.value)}`
}

/** A shorter secret is looked for by the name of its field alone: it is in other texts by chance. */
const shortest = 6

const isHeldBy = (text: string, { secrets }: Credential): boolean =>
  secrets.some((secret) => secret.length >= shortest && text.includes(secret))

/** Fields of an answer, as they were received. */
type Received = Readonly<Record<string, string | string[] | undefined>>

/** The fields of an answer without those that have the name of the credential's, or hold its secret. Most answers have none. */
export function withoutSecrets(received: Received, credential: Credential): Received {
  for (const name in received) {
    const value = received[name]
    const isClean =
      name !== credential.field?.name &&
      (typeof value === 'string'
        ? !isHeldBy(value, credential)
        : value?.some((one) => isHeldBy(one, credential)) !== true)
    if (!isClean) return cleaned(received, credential)
  }
  return received
}

function cleaned(received: Received, credential: Credential): Received {
  const left: Record<string, string | string[] | undefined> = {}
  for (const name in received) {
    const value = received[name]
    if (value === undefined || name === credential.field?.name) continue
    if (typeof value === 'string') {
      if (!isHeldBy(value, credential)) left[name] = value
    } else {
      const kept = value.filter((one) => !isHeldBy(one, credential))
      if (kept.length > 0) left[name] = kept
    }
  }
  return left
}

/** The same of the links of 103 (Early Hints). */
export function hintedWithout(hinted: Hinted | undefined, credential: Credential): Hinted {
  return {
    hint: (links) => {
      const kept = links.filter((link) => !isHeldBy(link, credential))
      return kept.length > 0 && hinted?.hint?.(kept) === true
    },
  }
}
