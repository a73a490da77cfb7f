/** The syntax of the head of an HTTP message: names and values of fields, a status, credentials (RFC 9110). */

const token = /^[!#$%&'*+\-.^`|~\w]+$/

/** Whether the text is a token, such as the name of a field or a method (RFC 9110 §5.6.2). */
export const isToken = (text: string): boolean => token.test(text)

/** Fields that frame a message or belong to one connection (RFC 9110 §7.6.1); lower case. */
export const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Fields that would make an answer a part of the representation, or none of it (RFC 9110 §13.1, §14.2); lower case. */
export const conditionalFields: ReadonlySet<string> = new Set([
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
])

/**
 * Fields by which frameworks take another method, scheme, path or host for that of the request: Rack, Rails, Laravel,
 * Symfony, ASP.NET, Spring, Express (method-override), IIS, and Zend. Lower case.
 */
export const overridingFields: ReadonlySet<string> = new Set([
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-original-uri',
  'x-original-path',
  'x-original-method',
  'x-rewrite-url',
  'x-rewrite-uri',
  'x-override-url',
  'x-original-host',
  'x-host',
  'x-http-host-override',
  'x-http-destinationurl',
  'x-url-scheme',
  'x-original-proto',
  'x-original-scheme',
])

/** Why the gateway may not be told to send a field: it is no token (RFC 9110 §5.1), or would break the framing of the message. */
export function headerNameProblem(name: string): string | undefined {
  if (name === '') return 'a header name must not be empty'
  if (!token.test(name)) {
    return 'a header name may contain only letters, digits, "-" and other token characters'
  }
  const lower = name.toLowerCase()
  return connectionFields.has(lower) || lower.startsWith('proxy-')
    ? 'the gateway sets this header itself: it must not be declared'
    : undefined
}

/** Why a text is not the value of a field; undefined when it is: no controls but tab, and one byte a character (RFC 9110 §5.5). */
export function fieldValueProblem(text: string): string | undefined {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) {
      return `there is a control character in column ${index + 1}`
    }
    if (code > 0xff) return `there is a character beyond Latin-1 in column ${index + 1}`
  }
  return undefined
}

/** A status as a number or a text of one; undefined when it is neither, or outside 200–599 (RFC 9110 §15). */
export function readStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599
    ? status
    : undefined
}

/**
 * The credentials behind the name of an authentication scheme in `Authorization` (RFC 9110 §11.4); undefined when the field is
 * absent, names another scheme or has no credentials.
 * @param scheme lower case
 */
export function credentialsOf(field: string | undefined, scheme: string): string | undefined {
  if (field === undefined || field[scheme.length] !== ' ') return undefined
  if (field.slice(0, scheme.length).toLowerCase() !== scheme) return undefined
  return field.slice(scheme.length + 1).trim() || undefined
}
