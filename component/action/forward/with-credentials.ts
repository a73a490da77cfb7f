/** One attempt of a forward with what proves to its upstream who asks: waits for it, and gets another one where the upstream refuses it. */
import { drop, errorOf, type Outcome, type Run } from '#component/action/action.ts'
import type { Attempted, Cancellation } from '#component/action/retry.ts'
import type { Clock } from '#component/clock.ts'
import { type ErrorUri, ServiceError } from '#component/errors.ts'
import type { Asking, Credential, Credentials } from '#component/upstreams/credentials.ts'

/** What an attempt needs beside its credentials. */
interface Waiting {
  readonly clock: Pick<Clock, 'after'>
  readonly cancellation: Pick<Cancellation, 'race'>
  /** How long the credential is waited for. Milliseconds. */
  readonly timeoutMs: number
}

const refusal = 'the upstream does not take the credentials of the gateway'
const late = 'there was no token for the upstream within the timeout'

/** The failures that `on_error` answers; all others refuse the request. */
const answered: ReadonlySet<string> = new Set<ErrorUri>([
  'service.error.no_upstream_token',
  'service.error.timeout',
  'wamp.error.canceled',
])

function failed({ uri, message, status, headers }: ServiceError): Attempted {
  const error = { ...errorOf(uri, message), status_code: status, headers: {}, body: '', uri: '' }
  const seconds = Number(headers['Retry-After'])
  const outcome: Outcome = {
    ...{ error, reason: message, effect: 'none' },
    ...(seconds > 0 && { retryAfter: seconds }),
  }
  return { outcome, isRetriable: false }
}

/** Who asks, as the action knows it. */
const askingOf = ({ identity, proof }: Run): Asking => ({
  identity,
  subjectToken: () => proof?.().bearer ?? identity.providerToken?.(),
})

/** Waits for a promise, as long as the client is there and the attempt has time. */
async function within<T>(promise: Promise<T>, { clock, cancellation, timeoutMs }: Waiting) {
  let stop = (): void => undefined
  const timer = new Promise<never>((_resolve, reject) => {
    stop = clock.after(timeoutMs, () => reject(new ServiceError('service.error.timeout', late)))
  })
  try {
    return await cancellation.race(Promise.race([promise, timer]))
  } finally {
    stop()
  }
}

const isUnauthorized = ({ answer }: Outcome): boolean => answer?.status_code === 401

/**
 * Sends a request with a credential; once more with another one where the upstream answers 401, which has done nothing, and the body can
 * be sent again.
 * @param send makes one request
 * @throws what {@link Credentials} throw beside `service.error.no_upstream_token`
 */
export async function withCredentials(
  credentials: Credentials,
  run: Run,
  waiting: Waiting,
  send: (credential: Credential) => Promise<Attempted>,
): Promise<Attempted> {
  const asking = askingOf(run)
  const get = (): Credential | Promise<Credential> => {
    const credential = credentials.of(asking)
    return credential instanceof Promise ? within(credential, waiting) : credential
  }
  const given = (attempted: Attempted): Attempted =>
    credentials.isOfUser
      ? { ...attempted, outcome: { ...attempted.outcome, isOfUser: true } }
      : attempted
  try {
    const known = get()
    // a promise costs every request
    let credential = known instanceof Promise ? await known : known
    let attempted = await send(credential)
    if (!isUnauthorized(attempted.outcome)) return given(attempted)
    const mayBeNew = credentials.isRenewed && credentials.refuse(credential, asking)
    if (mayBeNew && attempted.isReplayable) {
      drop(attempted.outcome)
      credential = await get()
      attempted = await send(credential)
      if (!isUnauthorized(attempted.outcome)) return given(attempted)
      if (credentials.isRenewed) credentials.refuse(credential, asking)
    }
    return unauthorized(attempted)
  } catch (error) {
    if (!(error instanceof ServiceError) || !answered.has(error.uri)) throw error
    return failed(error)
  }
}

/** The challenge of the upstream stays here: the client has not failed. */
function unauthorized({ outcome }: Attempted): Attempted {
  drop(outcome)
  const { outcome: made, ...rest } = failed(
    new ServiceError('service.error.upstream_unauthorized', refusal),
  )
  const target = 'error' in outcome ? outcome.target : undefined
  return { ...rest, outcome: { ...made, ...(target !== undefined && { target }) } }
}
