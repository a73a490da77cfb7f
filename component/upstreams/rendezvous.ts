/**
 * Weighted rendezvous hashing: a key goes to the same target on every node, in proportion to the weights, and a target that goes or
 * comes moves its own keys only (Thaler and Ravishankar 1998; Schindelhauer and Schomaker 2005 for weights).
 */

/** Two words of 32 bits that stand for a text, the same on every node (cyrb53, which mixes two multiplicative hashes). */
export interface Digest {
  readonly high: number
  readonly low: number
}

/** The digest of a text. */
export function digestOf(text: string): Digest {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 0x9e3779b1)
    low = Math.imul(low ^ code, 0x5f356495)
  }
  return { high: mixed(high ^ (low >>> 13)), low: mixed(low ^ (high >>> 13)) }
}

/** All bits of a word depend on each other (the finalizer of MurmurHash3). */
function mixed(word: number): number {
  let bits = word ^ (word >>> 16)
  bits = Math.imul(bits, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

/**
 * How far a target is preferred for a key; the greatest wins.
 * @param weight above 0
 */
export function scoreOf(key: Digest, target: Digest, weight: number): number {
  const high = mixed(key.high ^ target.high) >>> 0
  const low = mixed(key.low ^ target.low ^ high) >>> 0
  // above 0, below 1, with 53 bits
  const part = ((high >>> 5) * 67_108_864 + (low >>> 6) + 0.5) / 9_007_199_254_740_992
  return -weight / Math.log(part)
}
