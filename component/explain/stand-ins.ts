/** Stand-ins for what a rehearsal must not touch: who asks, the clock, randomness. */
import { createHash } from 'node:crypto'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { forEachType } from '#component/security/kinds.ts'
import {
  type Protection,
  type Schemes,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'
import { withAlternatives } from '#component/security/schemes.ts'

/** Stands for the access token of an identity provider. */
export const exampleToken = 'example-access-token'

/** The same identity, for which a provider has given a token. */
const withToken = (identity: Identity): Identity =>
  Object.defineProperty({ ...identity }, 'providerToken', { value: () => exampleToken })

/**
 * Schemes that let every request pass as the identity that is given for the protection, or refuse it as that throws.
 * @param via the name of the alternative that decides; absent: the first one of the path; null: the request brings nothing
 */
export function schemesOf(
  identify: (protection: Protection) => Identity,
  via?: string | null,
): Schemes {
  const authenticate: SecurityScheme['authenticate'] = (_request, protection) => {
    const identity = identify(protection)
    const { exampleIdentity, givesToken } = protection.kind
    if (exampleIdentity) return { ...exampleIdentity, ...identity }
    return givesToken ? withToken(identity) : identity
  }
  const schemes = forEachType(() => ({ authenticate }))
  return withAlternatives(
    schemes,
    ({ all }) => (via === undefined ? all[0] : all.find((one) => one.via === via)),
    ({ all }) => {
      if (typeof via !== 'string' || all.some((one) => one.via === via)) return
      const names = all.map((one) => one.via).join(', ')
      const message = `as: the path has no alternative ${JSON.stringify(via)}: expected ${names}`
      throw new ServiceError('service.error.unauthorized', message)
    },
  )
}

/** Schemes that refuse every request, as one without credentials. */
export const nobody: Schemes = schemesOf((protection) => {
  throw unauthorized(protection)
}, null)

/** A clock that stands still. @param seed the same text gives the same random numbers */
export function stillClock(now: number, seed: string): Clock {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  return {
    now: () => now,
    after: () => () => undefined,
    // mulberry32
    random() {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
  }
}
