/** What may stand as a secret in `info` of a realm document. */
import { mask } from '#component/realm/documents/shown-realm.ts'
import { isMap } from '#component/syntax/values.ts'

/** A secret, in words. */
export const secretWords = 'a text, `{env: NAME}` or `{file: …}`'

/** What stands where the secret is: a variable or a file, or what the store has. */
function isReference(value: unknown): boolean {
  if (!isMap(value)) return false
  const [key = '', ...others] = Object.keys(value)
  const isKnown = others.length === 0 && ['env', 'file', 'sealed'].includes(key)
  return isKnown && typeof value[key] === 'string'
}

/** The secret itself; undefined for one that is elsewhere or stored already. */
export const secretText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== mask ? value : undefined

/** Whether the value is a secret, or stands for one; `null` removes the stored one. */
export const isSecret = (value: unknown): boolean =>
  value === null || isReference(value) || (typeof value === 'string' && value !== '')
