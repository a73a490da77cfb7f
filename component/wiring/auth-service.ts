/** Asks authentication services about requests, by the rules of a forward to a host that the document names. */
import type { CheckedFetch } from '#component/action/checked-fetch.ts'
import { answerHeaders, passedFields, withoutOwnCookies } from '#component/action/headers.ts'
import { traceField } from '#component/gateway/context.ts'
import type { AuthFields, AuthService } from '#component/security/forward-auth/authenticate.ts'
import type { SecuredRequest } from '#component/security/scheme.ts'
import { conditionalFields, overridingFields } from '#component/syntax/http-field.ts'
import { addressOf } from '#component/syntax/ip-address.ts'

/** The fields of the request that are told, and those that say where it came from; of these a client sends none. */
function fieldsOf(request: SecuredRequest, names: readonly string[] | undefined): AuthFields {
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(passedFields(request.headers))) {
    if (names && !names.includes(name)) continue
    if (name === traceField || conditionalFields.has(name)) continue
    // services that nginx asks read them as the request that is judged
    if (!names && overridingFields.has(name)) continue
    const told = name === 'cookie' ? withoutOwnCookies(String(value)) : String(value)
    if (told !== undefined) fields[name] = told
  }
  const { path, query_string } = request
  return {
    ...fields,
    'x-forwarded-method': request.method.toUpperCase(),
    'x-forwarded-proto': request.scheme,
    'x-forwarded-host': request.headers.host ?? request.host,
    'x-forwarded-uri': query_string === '' ? path : `${path}?${query_string}`,
    'x-forwarded-for': addressOf(request.peername),
  }
}

/** @param outside sends the requests; its limits on time and size hold */
export const openAuthService = (outside: Pick<CheckedFetch, 'answer'>): AuthService => ({
  fieldsOf,
  async ask(url, headers) {
    const { status, headers: received, body } = await outside.answer(url, { headers }, true)
    const repeated = Object.keys(received).filter((name) => Array.isArray(received[name]))
    return { status, headers: answerHeaders(received), repeated: new Set(repeated), body }
  },
})
