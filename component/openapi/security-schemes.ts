/** The protection of an operation as security schemes of OpenAPI. */
import { scopesOf } from '#component/security/jwt.ts'
import type { Protection } from '#component/security/scheme.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { ticketCookie } from '#component/token/ticket-cookie.ts'
import type { NamedParts } from './named-parts.ts'

/** Alternatives; each names the schemes that a request needs together. */
export type Requirements = readonly Readonly<Record<string, readonly string[]>>[]

/** Methods that a browser may send for a page of another origin, so that a cookie alone suffices. */
const safeMethods = new Set(['get', 'head'])

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise

/** The header of an API key, in lower case; undefined for other schemes. */
export const secretHeaderOf = ({ type, object }: Protection): string | undefined =>
  type === 'api_key' ? textOr(object.header_name, 'authorization').toLowerCase() : undefined

/** The header by which another service most likely knows who asks: `Authorization`, unless it is not told that. */
function credentialsHeader(names: unknown): string {
  const texts = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  const isTold = texts.length === 0 || texts.some((one) => one.toLowerCase() === 'authorization')
  return isTold ? 'Authorization' : String(texts[0])
}

/**
 * @param address of the version: absolute, without a slash at the end
 * @param schemes receives the schemes
 */
export function requirementsOf(
  protection: Protection,
  method: string,
  address: string,
  schemes: NamedParts,
): Requirements {
  const { type, object, realm_uri } = protection
  const description =
    typeof object.description === 'string' ? { description: object.description } : {}
  const add = (name: string, scheme: JsonMap): string =>
    schemes.nameOf(name, { ...scheme, ...description })
  switch (type) {
    case 'basic':
      return [{ [add('basic', { type: 'http', scheme: 'basic' })]: [] }]
    case 'api_key': {
      const name = textOr(object.header_name, 'Authorization')
      return [{ [add('api_key', { type: 'apiKey', in: 'header', name })]: [] }]
    }
    case 'oauth2':
      return [{ [add('oauth2', { type: 'oauth2', flows: flowsOf(object, address) })]: [] }]
    case 'jwt': {
      const bearer = add('jwt', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
      // of a scheme other than oauth2 these are what its credentials must allow (OpenAPI 3.1 §4.8.30)
      return [{ [bearer]: scopesOf(object) }]
    }
    case 'mtls':
      return [{ [add('mtls', { type: 'mutualTLS' })]: [] }]
    case 'oidc': {
      const cookie = add('oidc_cookie', {
        ...{ type: 'apiKey', in: 'cookie', name: ticketCookie(realm_uri) },
      })
      const bearer = add('oidc_bearer', { type: 'http', scheme: 'bearer' })
      if (safeMethods.has(method)) return [{ [cookie]: [] }, { [bearer]: [] }]
      const csrf = add('oidc_csrf', { type: 'apiKey', in: 'header', name: 'X-CSRF-Token' })
      return [{ [cookie]: [], [csrf]: [] }, { [bearer]: [] }]
    }
    case 'forward_auth': {
      const name = credentialsHeader(object.request_headers)
      return [{ [add('forward_auth', { type: 'apiKey', in: 'header', name })]: [] }]
    }
    case 'webhook':
      return [{ [add('webhook', { type: 'http', scheme: 'webhook' })]: [] }]
  }
}

function flowsOf({ flow, token_path }: Protection['object'], address: string): JsonMap {
  const tokenUrl = address + textOr(token_path, '/oauth/token')
  if (flow === 'client_credentials') return { clientCredentials: { tokenUrl, scopes: {} } }
  return { password: { tokenUrl, refreshUrl: tokenUrl, scopes: {} } }
}
