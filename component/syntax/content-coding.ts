/** Content codings: which of them a client wants (RFC 9110 §12.5.3). */
import { weight } from './weight.ts'

/** Other names of codings (RFC 9110 §8.4.1.3). */
const aliases: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']])

const identity = 'identity'

/** The weights of a list: of a coding that is named twice the greater one; malformed elements are skipped. */
function weightsIn(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const element of field.split(',')) {
    const [text = '', ...parameters] = element.split(';')
    const q = weight(parameters)
    const name = text.trim().toLowerCase()
    if (name === '' || q === undefined) continue
    const coding = aliases.get(name) ?? name
    weights.set(coding, Math.max(weights.get(coding) ?? 0, q))
  }
  return weights
}

/**
 * The coding that a client wants most, of equal ones the first. `identity` has the least weight of the list where that does not tell it.
 * @param field `Accept-Encoding`
 * @param codings lower case, in the order of preference
 * @returns undefined: none, or rather the content as it is
 */
export function preferredCoding<Coding extends string>(
  field: string,
  codings: readonly Coding[],
): Coding | undefined {
  const weights = weightsIn(field)
  const ofOthers = weights.get('*')
  let chosen: Coding | undefined
  let best = 0
  for (const coding of codings) {
    const q = weights.get(coding) ?? ofOthers ?? 0
    if (q <= best) continue
    chosen = coding
    best = q
  }
  if (chosen === undefined) return undefined
  const ofIdentity = weights.get(identity) ?? ofOthers ?? leastOf(weights)
  return ofIdentity > best ? undefined : chosen
}

/** A weight of 0 forbids its coding, and says nothing of others. */
const leastOf = (weights: ReadonlyMap<string, number>): number =>
  Math.min(1, ...[...weights.values()].filter((q) => q > 0))
