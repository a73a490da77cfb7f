/** `client_credentials`: a client acts for itself (RFC 6749 §4.4); without a refresh token, as §4.4.3 says. */
import type { AccessTokens } from './access-token.ts'
import { answerWith, authmethod, clientOf, deviceOf, type Grant, narrow } from './grant.ts'

/** Opens the grant. */
export const clientCredentialsGrant = (ports: {
  readonly accessTokens: Pick<AccessTokens, 'issue'>
}): Grant => ({
  grant_type: 'client_credentials',
  async answer(form, context) {
    const { authid, roles } = clientOf(context)
    const subject = {
      authid,
      roles: narrow(roles, form),
      authmethod,
      client_id: authid,
      device_id: deviceOf(form),
    }
    return answerWith(ports.accessTokens, context, subject)
  },
})
