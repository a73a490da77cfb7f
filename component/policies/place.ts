/** What names the place of a rule in keys, which stay short however deep it stands in its document. */
import { hash } from 'node:crypto'

/** Of a digest in base64url: 132 bits. */
const placeCharacters = 22

/** @param text the JSON Pointer of the rule, with whatever else tells it apart */
export const placeOf = (text: string): string =>
  hash('sha256', text, 'base64url').slice(0, placeCharacters)
