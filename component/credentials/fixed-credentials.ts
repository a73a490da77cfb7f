/** Credentials that are the same for all requests: a field, a parameter, or a name and a password. */
import type { Clock } from '#component/clock.ts'
import { basicAuthorization } from '#component/syntax/basic-authorization.ts'
import { fieldValueProblem } from '#component/syntax/http-field.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Credential, Credentials } from '#component/upstreams/credentials.ts'
import { noToken } from './sent-token.ts'

/** Opens a secret of the settings; undefined for one that cannot be opened. */
export type Open = (value: unknown) => Promise<string | undefined>

/** The dependencies of {@link fixedCredentials}. */
export interface FixedPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly open: Open
  /** Told why there is no credential. */
  onFailure(error: unknown): void
}

/** A secret that stands in a file is read again so long after it was read last; one that could not be opened is tried again. Milliseconds. */
const againMs = { file: 10_000, failure: 1_000 } as const

/** What one of these types makes of its secret. */
export interface FixedKind {
  /** The key of the secret. */
  readonly secret: 'secret' | 'password'
  credentialOf(secret: string, auth: JsonMap): Omit<Credential, 'type'>
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Of each type. */
export const fixedKinds = {
  header: {
    secret: 'secret',
    credentialOf: (secret, { name, prefix }) => ({
      field: { name: textOf(name).toLowerCase(), value: textOf(prefix) + secret },
      secrets: [secret],
    }),
  },
  query: {
    secret: 'secret',
    credentialOf: (secret, { name }) => ({
      parameter: { name: textOf(name), value: secret },
      secrets: [secret, encodeURIComponent(secret)],
    }),
  },
  basic: {
    secret: 'password',
    credentialOf: (secret, { username }) => {
      const value = basicAuthorization(textOf(username), secret)
      return {
        field: { name: 'authorization', value },
        secrets: [secret, value.slice('Basic '.length)],
      }
    },
  },
} as const satisfies Readonly<Record<string, FixedKind>>

/** The secret is opened when the first request needs it. */
export function fixedCredentials(
  { type, key, auth }: Pick<Credentials, 'type' | 'key'> & { readonly auth: JsonMap },
  { secret: secretKey, credentialOf }: FixedKind,
  { clock, open, onFailure }: FixedPorts,
): Credentials {
  const written = auth[secretKey]
  const isFile = isMap(written) && Object.hasOwn(written, 'file')
  let known: Credential | undefined
  let text: string | undefined
  let failure: unknown
  let pending: Promise<Credential> | undefined
  let openedAt = Number.NEGATIVE_INFINITY
  const read = async (): Promise<Credential> => {
    openedAt = clock.now()
    try {
      const secret = await open(written)
      if (!secret) throw new Error(`${secretKey} cannot be opened`)
      if (secret === text && known) return known
      const made = { type, ...credentialOf(secret, auth) }
      // a text beyond Latin-1, or of several lines, would be another field
      const problem = fieldValueProblem(made.field?.value ?? '')
      if (problem !== undefined) throw new Error(`${secretKey}: ${problem}`)
      text = secret
      known = made
      failure = undefined
      return known
    } catch (error) {
      failure = error
      onFailure(error)
      throw noToken(againMs.failure, error)
    }
  }
  const readOnce = (): Promise<Credential> => {
    pending ??= read().finally(() => {
      pending = undefined
    })
    return pending
  }
  return {
    ...{ type, key, isRenewed: false, isOfUser: false, token: undefined },
    of() {
      if (known === undefined) {
        if (
          pending === undefined &&
          failure !== undefined &&
          clock.now() - openedAt < againMs.failure
        )
          throw noToken(againMs.failure, failure)
        return readOnce()
      }
      // the former one is sent while the file is read
      if (isFile && clock.now() - openedAt >= againMs.file) readOnce().catch(() => undefined)
      return known
    },
    refuse: () => false,
    close: () => undefined,
  }
}
