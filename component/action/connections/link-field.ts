/** `Link`: its values (RFC 8288 §3), as far as they are safe to be written as they came. */

// each of these is matched at one place, one after the other: a repetition of them all would need exponential time
const empty = /[\t ,]*/y
const target = /<[^<>]*>/y
/** A value without quotation marks may hold more than a token does: servers write `type=font/woff2`. */
const parameter =
  /[\t ]*;[\t ]*(?:[!#$%&'*+\-.^`|~\w]+(?:[\t ]*=[\t ]*(?:"(?:[^"\\]|\\.)*"|[!#-+\-./\w:=?@[\]^`{|}~]+))?)?/y
const end = /[\t ]*(?:,|$)/y

/** Visible ASCII without quotation marks. */
const safeTarget = /^<[!#-;=?-~]+>$/
/** What `writeEarlyHints` of Node takes, which throws at anything else. */
const safeParameter = /^[\t ]*;[\t ]*[^\s;="]+(?:=(?:"[!#-:<-[\]-~]*"|[!#-:<-~]+))?$/

/**
 * The values of a field, as they came. Those with characters beyond visible ASCII, or blanks within quotation marks, are left out.
 * @param field a list where it repeats; undefined: it is absent
 * @returns none of a field that is malformed
 */
export function readLinks(field: string | readonly string[] | undefined): string[] {
  const fields = typeof field === 'string' ? [field] : (field ?? [])
  return fields.flatMap(parseLinks)
}

function parseLinks(text: string): string[] {
  const links: string[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  take(empty)
  while (at < text.length) {
    const start = at
    const found = take(target)
    if (found === undefined) return []
    let isSafe = safeTarget.test(found)
    for (let one = take(parameter); one !== undefined; one = take(parameter)) {
      isSafe &&= safeParameter.test(one)
    }
    if (isSafe) links.push(text.slice(start, at))
    if (take(end) === undefined) return []
    take(empty)
  }
  return links
}
