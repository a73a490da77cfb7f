/** Seals what gateways say to each other: fields become a text that only gateways with the same `cluster.key` read. */
import { parseJson, stringifyJson, withMember } from '#component/codec/json.ts'
import { trustedRules } from '#component/codec/limits.ts'
import { SecretBox } from '#component/secret-box.ts'
import type { Fields } from './sync-messages.ts'

/** Most bytes of JSON text that fit into one message. */
const maxTextBytes = 11_000_000
/** Most bytes of JSON text of the content of one answer, beside the state of the node. */
export const maxContentBytes = maxTextBytes - 100_000

/** Characters at the start of a sealed message that no other message has: its version and its nonce. */
export const nonceLength = 19

/** A message is sealed for one purpose, and opened for no other. */
export interface Sealing {
  /**
   * @param texts further fields, whose values are JSON text already
   * @throws ExpressionError for fields that are too large
   */
  seal(fields: Fields, purpose: string, texts?: Readonly<Record<string, string>>): string
  /** What was sealed, null where that cannot be read; undefined for a text that no gateway of the cluster has sealed for this purpose. */
  open(sealed: string, purpose: string): unknown
}

/** Encrypts texts of the cluster. @param clusterKey `cluster.key` */
export const openBox = (clusterKey: string | Uint8Array): SecretBox =>
  new SecretBox(clusterKey, 'service.registry')

function read(text: string): unknown {
  try {
    return parseJson(text, trustedRules)
  } catch {
    return null
  }
}

/** Seals by encryption. @param clusterKey `cluster.key` */
export function sealingBy(clusterKey: string | Uint8Array): Sealing {
  const box = openBox(clusterKey)
  return {
    seal(fields, purpose, texts = {}) {
      let text = stringifyJson(fields, maxTextBytes)
      for (const [key, member] of Object.entries(texts)) text = withMember(text, key, member)
      return box.seal(text, purpose)
    },
    open(sealed, purpose) {
      const text = box.open(sealed, purpose)
      return text === undefined ? undefined : read(text)
    },
  }
}

/**
 * Opens a message of any sender.
 * @param maxLength characters; a longer message is not looked at
 * @returns undefined for a value that was not sealed for this purpose
 */
export const openSealed = (
  sealing: Pick<Sealing, 'open'>,
  purpose: string,
  sealed: unknown,
  maxLength: number,
): unknown =>
  typeof sealed === 'string' && sealed.length <= maxLength
    ? sealing.open(sealed, purpose)
    : undefined
