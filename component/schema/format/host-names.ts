/** Names of hosts: RFC 1123, and international names as RFC 5890 to 5893 write them in ASCII. */
import { createRequire } from 'node:module'
import type { isIdnHostname } from 'idn-hostname'

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const name = new RegExp(String.raw`^(?=.{1,253}$)${label}(?:\.${label})*$`, 'i')

/** Its tables take a megabyte: they are read for the first international name. */
let library: { readonly isIdnHostname: typeof isIdnHostname } | undefined

/** Whether a label of a name is an international one, which takes longer to judge. */
export const isInternational = (text: string): boolean => /(?:^|\.)xn--/i.test(text)

function isSound(text: string): boolean {
  library ??= createRequire(import.meta.url)('idn-hostname') as NonNullable<typeof library>
  try {
    return library.isIdnHostname(text)
  } catch {
    return false
  }
}

/** Whether a text is the name of a host, without a dot at its end. */
export const isHostName = (text: string): boolean =>
  name.test(text) && (!isInternational(text) || isSound(text))
