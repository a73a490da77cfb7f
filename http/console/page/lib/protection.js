/** Who may ask for an operation, in a few words, as its document says it. */

/** @typedef {Readonly<Record<string, any>>} Json */

/** @param {unknown} value @returns {value is Json} */
const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The security that holds, by the order of docs/specification.md, "Which value holds".
 * @param {Json | undefined} spec
 * @param {{ version: string, path: string, operation: any }} of
 * @returns {unknown}
 */
export function securityOf(spec, { version, path, operation }) {
  const ofVersion = spec?.versions?.[version]
  const levels = [operation, ofVersion?.paths?.[path], ofVersion, spec]
  const found = [
    ...levels.slice(0, 2).map((level) => level?.security),
    ...levels.map((level) => level?.defaults?.security),
    ...levels.map((level) => level?.variables?.security),
  ]
  return found.find((one) => one !== undefined)
}

/**
 * The types or names of what lets a request pass, with the roles and users that may: `machine | jwt+mtls | basic: staff`.
 * @param {unknown} security
 * @returns {string} empty: anybody may ask
 */
export function protectionText(security) {
  if (!isMap(security)) return typeof security === 'string' ? security : ''
  const { any, all, optional, type, name = type, roles = [], authids = [] } = security
  if (Array.isArray(any)) {
    const ways = any.map(protectionText)
    return [...ways, ...(optional === true ? ['anonymous'] : [])].join(' | ')
  }
  if (Array.isArray(all)) return all.map(protectionText).join(' + ')
  if (name === undefined) return ''
  const who = [roles, authids].flat().join(', ')
  return who === '' ? String(name) : `${name}: ${who}`
}
