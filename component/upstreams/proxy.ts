/** The proxy of an upstream: what it is told, opened when a connection needs it. */
import type { EgressProxy } from '#component/action/connections/egress.ts'
import { ServiceError } from '#component/errors.ts'
import type { Credential, Credentials } from './credentials.ts'
import { type OpenValue, secureContextOf } from './secure-context.ts'
import type { ProxySettings } from './settings.ts'

/** Whoever asks, the proxy is told the same. */
const nobody = { identity: {}, subjectToken: () => undefined }

const failed = (cause: unknown): ServiceError =>
  new ServiceError('service.error.bad_gateway', 'the password of the proxy cannot be read', {
    cause,
  })

const fieldOf = ({ field }: Credential): string => field?.value ?? ''

/**
 * @param credentials of its `auth`; undefined: it has none
 * @param open opens what `ca` refers to
 */
export function openProxy(
  { origin, ca }: ProxySettings,
  credentials: Credentials | undefined,
  open: OpenValue,
): EgressProxy {
  const authorization = (of: Credentials) => (): string | Promise<string> => {
    try {
      const credential = of.of(nobody)
      if (!(credential instanceof Promise)) return fieldOf(credential)
      return credential.then(fieldOf, (error: unknown) => Promise.reject(failed(error)))
    } catch (error) {
      return Promise.reject(failed(error))
    }
  }
  return {
    origin,
    authorization: credentials && authorization(credentials),
    secureContext: ca === undefined ? undefined : secureContextOf({ ca }, open, 'proxy'),
  }
}
