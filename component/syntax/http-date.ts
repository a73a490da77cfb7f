/** HTTP-date: the preferred form, and the two obsolete ones that a recipient reads (RFC 9110 §5.6.7). */

const time = '\\d{2}:\\d{2}:\\d{2}'
const imfFixdate = new RegExp(`^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} ${time} GMT$`)
const rfc850 = new RegExp(`^[A-Z][a-z]{5,8}, \\d{2}-[A-Z][a-z]{2}-\\d{2} ${time} GMT$`)
const asctime = new RegExp(`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d ${time} \\d{4}$`)

/** Milliseconds since the epoch; undefined for a text that is no HTTP-date. */
export function readHttpDate(text: string): number | undefined {
  const isKnown = imfFixdate.test(text) || rfc850.test(text)
  if (!isKnown && !asctime.test(text)) return undefined
  const ms = Date.parse(isKnown ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}
