/** The text in which OpenSSL and Node show the subject alternative names of a certificate (RFC 5280 §4.2.1.6). */

/** The names of the kinds that identify hosts and services. */
export interface AltNames {
  readonly dns: readonly string[]
  readonly uri: readonly string[]
}

/** One name: what holds a comma, a quote, a control or no ASCII is a JSON text in Node, so that it cannot look like two names. */
const entry = /([A-Za-z0-9 ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y

/** @param text such as `DNS:example.com, URI:"spiffe://a/b,c"`; undefined: none. Returns undefined for any other form */
export function readAltNames(text: string | undefined): AltNames | undefined {
  const names = { dns: [] as string[], uri: [] as string[] }
  let at = 0
  while (text !== undefined && at < text.length) {
    entry.lastIndex = at
    const [whole, kind, value] = entry.exec(text) ?? []
    const name = value?.startsWith('"') ? textOf(value) : value
    if (whole === undefined || name === undefined) return undefined
    if (kind === 'DNS') names.dns.push(name)
    else if (kind === 'URI') names.uri.push(name)
    at += whole.length
  }
  return names
}

function textOf(json: string): string | undefined {
  try {
    return String(JSON.parse(json))
  } catch {
    return undefined
  }
}
