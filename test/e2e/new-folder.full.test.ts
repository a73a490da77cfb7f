/** The folders that `wamp-gateway new` makes from the other examples. */
import { expectServed } from './new-folder.setup.ts'

describe('a folder that wamp-gateway new makes from another example', () => {
  for (const [name, path, status] of [
    ['live', '/counter?limit=x', 400],
    ['oauth2', '/v1.0/orders/7', 401],
    ['oidc-login', '/api/me', 401],
    ['tools', '/v1/mcp', 405],
  ] as const) {
    it(`from ${name} is valid, and is served by start --config`, () =>
      expectServed(name, path, status))
  }
})
