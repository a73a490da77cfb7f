/** What `api_key` is: its row. */
import { securityKind, textOr } from '#component/security/kind.ts'
import { headerName } from '#component/spec/http-rules.ts'
import { dynamic } from '#component/spec/rules.ts'
import { isToken } from '#component/syntax/http-field.ts'

/** A key of a user of the realm, in a header; no challenge is registered for it. */
export const apiKey = securityKind({
  type: 'api_key',
  keys: { header_name: dynamic(headerName) },
  challenge: (realm) => `ApiKey realm=${realm}`,
  describe: ({ header_name }) => [
    [
      {
        name: 'api_key',
        scheme: { type: 'apiKey', in: 'header', name: textOr(header_name, 'Authorization') },
      },
    ],
  ],
  imported({ type, in: place, name }) {
    if (type !== 'apiKey' || place !== 'header') return undefined
    if (!isToken(String(name))) {
      const told = 'no field has this name: an API key is asked for in the usual one'
      return { object: {}, told }
    }
    const told = 'API keys are those that the gateway issues'
    return { object: { header_name: String(name).toLowerCase() }, told }
  },
  cost: 2,
  inAuthorization: ({ header_name }) =>
    textOr(header_name, 'authorization').toLowerCase() === 'authorization',
  exampleMethod: 'api_key',
  secretHeader: ({ header_name }) => textOr(header_name, 'authorization').toLowerCase(),
})
