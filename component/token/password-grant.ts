/** `password`: a client hands in what a resource owner has told it (RFC 6749 §4.3). */
import { OAuthError } from '#component/errors.ts'
import type { AccessTokens, Subject } from './access-token.ts'
import {
  answerWith,
  authmethod,
  clientOf,
  deviceOf,
  type Grant,
  narrow,
  required,
} from './grant.ts'
import type { RefreshTokens } from './refresh-token.ts'
import type { Revocations } from './revocation.ts'

/** What the grant works with. */
interface PasswordPorts {
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  readonly refreshTokens: Pick<RefreshTokens, 'issue'>
  readonly revocations: Pick<Revocations, 'notBefore'>
}

/** Opens the grant. */
export const passwordGrant = (ports: PasswordPorts): Grant => ({
  grant_type: 'password',
  async answer(form, context) {
    const client = clientOf(context)
    const device_id = deviceOf(form)
    const [username, password] = [required(form, 'username'), required(form, 'password')]
    const notBefore = () => ports.revocations.notBefore(context.realm_uri, username)
    const before = notBefore()
    const owner = await context.authenticateOwner(username, password)
    // all that the owner had was revoked meanwhile: the password may be an old one
    if (!owner || notBefore() !== before) {
      throw new OAuthError('invalid_grant', 'the username or the password is wrong')
    }
    const roles = narrow(owner.roles, form)
    const { authid } = owner
    const subject: Subject = { authid, roles, authmethod, client_id: client.authid, device_id }
    const refresh = await ports.refreshTokens.issue(context.realm_uri, subject)
    return answerWith(ports.accessTokens, context, subject, refresh)
  },
})
