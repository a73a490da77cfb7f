/** What `basic` is: its row. */
import { securityKind } from '#component/security/kind.ts'

/** Name and password of a user of the realm (RFC 7617). */
export const basic = securityKind({
  type: 'basic',
  keys: {},
  challenge: (realm) => `Basic realm=${realm}, charset="UTF-8"`,
  describe: () => [[{ name: 'basic', scheme: { type: 'http', scheme: 'basic' } }]],
  imported: ({ type, scheme }) =>
    type === 'http' && String(scheme).toLowerCase() === 'basic' ? { object: {} } : undefined,
  cost: 3,
  inAuthorization: () => true,
  isSentUnasked: true,
  opensDialog: true,
  exampleMethod: 'basic',
  isJudgedOnChange: true,
})
