/** What several alternatives are to those that ask for the row of a path: its properties, as far as one of them has them. */

import { alternativeKeys } from '#component/identity.ts'
import type { SecurityKind } from './kind.ts'
import type { Alternative, Protection } from './scheme.ts'

/** The type of a protection with alternatives; no security object has it. */
export const severalType = 'any'

/** The name of what gateways of earlier versions do not know. */
export const severalFeature = 'security.any'

/** @param members those of all alternatives */
export function severalKind(
  all: readonly Alternative[],
  members: readonly Protection[],
): SecurityKind {
  const kinds = members.map(({ kind }) => kind)
  const [{ challenge, exampleMethod }] = kinds as [SecurityKind, ...SecurityKind[]]
  const tokens = kinds.find((kind) => kind.tokens)?.tokens
  const isAny = (is: (kind: SecurityKind) => unknown): boolean => kinds.some(is)
  return {
    ...{ type: severalType, keys: {}, cost: 0, challenge, exampleMethod },
    describe: () => [],
    statuses: kinds.flatMap(({ statuses = [] }) => statuses),
    identityKeys: [...alternativeKeys, ...kinds.flatMap(({ identityKeys = [] }) => identityKeys)],
    ...(tokens && { tokens }),
    ...(isAny(({ decidesByRequest }) => decidesByRequest) && { decidesByRequest: true }),
    ...(all.some((one) => one.members[0].kind.givesToken) && { givesToken: true }),
    // each has a message of its own: none is called by a model
    ...(all.every((one) => one.members.some(({ kind }) => kind.signsBody)) && { signsBody: true }),
  }
}
