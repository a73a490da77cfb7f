/** Media types (RFC 9110 §8.3.1): the type without its parameters, and its charset. */

/** Type and subtype in lower case, without parameters. */
export function essenceOf(type: string): string {
  const end = type.indexOf(';')
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}

/** Whether values of the type are written in JSON. @param essence as {@link essenceOf} gives it */
export const isJsonType = (essence: string): boolean =>
  essence === 'application/json' || essence.endsWith('+json')

/** The charset of a type in lower case, as it is written; undefined where it names none. */
export function charsetOf(type: string): string | undefined {
  for (const parameter of type.toLowerCase().split(';').slice(1)) {
    const [name = '', value = ''] = parameter.split('=', 2)
    if (name.trim() === 'charset') return value.trim()
  }
  return undefined
}

/** Whether the text of the type is UTF-8: it says so (`utf-8`, `utf8`), or names no charset. */
export function isUtf8Type(type: string): boolean {
  const charset = charsetOf(type)
  return charset === undefined || /^("?)utf-?8\1$/.test(charset)
}
