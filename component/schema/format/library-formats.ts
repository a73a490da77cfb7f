/** The formats that are checked as ajv-formats checks them. */
import { fullFormats } from 'ajv-formats/dist/formats.js'

/** Whether a text is of a format of ajv-formats. */
export function ofLibrary(
  name: 'date' | 'email' | 'ipv4' | 'ipv6' | 'json-pointer',
): (text: string) => boolean {
  const known: unknown = fullFormats[name]
  const check =
    typeof known === 'object' && known !== null && 'validate' in known ? known.validate : known
  return check instanceof RegExp ? (text) => check.test(text) : (check as (text: string) => boolean)
}
