/** Calls of the management API, with the credentials of this tab. */

const key = 'wamp-gateway.credentials'

/** @returns {string | null} the access token or API key that was typed in; it ends with the tab */
export const credentials = () => sessionStorage.getItem(key)

/** @param {string | undefined} text undefined: signs out */
export function useCredentials(text) {
  if (text === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, text)
}

/** A refusal: the body that every error of the gateway has. */
export class Refusal extends Error {
  /**
   * @param {number} status 0: there was no answer
   * @param {{ code?: string, message?: string, details?: import('../types.d.ts').Issue[] }} body
   */
  constructor(status, { code = '', message = `status ${status}`, details = [] }) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Called when the credentials of this tab are refused. */
export const onRefused = { call: () => {} }

/** @param {string} path below the admin listener, whatever prefix a proxy has given it */
export const urlOf = (path) => new URL(`..${path}`, new URL('.', location.href)).href

/** @returns {Record<string, string>} */
export function authorization() {
  const text = credentials()
  return text === null ? {} : { authorization: `Bearer ${text}` }
}

/**
 * @typedef {object} Asked
 * @property {unknown} [body] sent as JSON
 * @property {string} [text] JSON text, sent as it is
 * @property {string} [ifMatch] the hash of the version that may be replaced
 * @property {boolean} [isNew] there must be no such document yet
 * @property {string} [accept]
 */

/**
 * Calls; the answer as text, so that integers keep every digit.
 * @param {string} method
 * @param {string} path
 * @param {Asked} [asked]
 * @returns {Promise<{ status: number, text: string, hash: string | undefined }>}
 * @throws {Refusal}
 */
export async function callText(method, path, { body, text, ifMatch, isNew, accept } = {}) {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const answer = await fetch(urlOf(path), {
    method,
    headers: {
      ...authorization(),
      accept: accept ?? 'application/json',
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      ...(isNew && { 'if-none-match': '*' }),
    },
    ...(content !== undefined && { body: content }),
  }).catch(() => {
    throw new Refusal(0, { message: 'The gateway does not respond.' })
  })
  const found = await answer.text()
  const hash = answer.headers.get('etag')?.replaceAll('"', '')
  if (answer.ok) return { status: answer.status, text: found, hash }
  if (answer.status === 401) onRefused.call()
  throw new Refusal(answer.status, parsed(found) ?? {})
}

/**
 * Calls; the answer as a value.
 * @param {string} method
 * @param {string} path
 * @param {Asked} [asked]
 * @returns {Promise<any>}
 * @throws {Refusal}
 */
export async function call(method, path, asked) {
  return parsed((await callText(method, path, asked)).text)
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @param {string} uri */
export const realmPath = (uri) => `/realms/${encodeURIComponent(uri)}`

/** @param {string} id */
export const specPath = (id) => `/api_specs/${encodeURIComponent(id)}`
