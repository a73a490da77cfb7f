/** The procedures that set or delete one user or one grant of a realm document; all else of it stays as it is. */
import {
  deletingGrant,
  deletingUser,
  settingGrant,
  settingUser,
} from '#component/realm/documents/edits.ts'
import type { EditedRealm } from '#component/realm/loaded-realm.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { type Answer, type Procedure, texts } from '#procedures/definition/procedure.ts'
import { checkReferences } from '#procedures/definition/within.ts'

/** The answer to an edit. @param names what was set or deleted */
function answerOf({ uri, ts, warnings, hash, isNewPart }: EditedRealm, names: object): Answer {
  const headers = { etag: `"${hash}"` }
  return { value: { uri, ...names, ts, warnings }, headers, ...(isNewPart && { status: 201 }) }
}

/** Keys that are absent stay as they are, `null` removes a key. */
export const realmPartProcedures: readonly Procedure[] = [
  {
    // adds or changes the user that `username` names: answers `{uri, username, ts, warnings}`
    uri: 'service.set_user',
    parameters: [...texts('uri'), { name: 'user', type: 'object' }],
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'PUT', path: '/realms/:uri/users/:username', body: 'user' }],
    async handler({ realms }, [uri, user], caller) {
      checkReferences(user, caller)
      const { by, conditions } = caller
      const edit = settingUser(user as JsonMap)
      const edited = await realms.edit(String(uri), edit, by, conditions)
      return answerOf(edited, { username: (user as JsonMap).username })
    },
  },
  {
    // answers `{uri, username, ts, warnings}`; everything issued to the user is revoked by then
    uri: 'service.delete_user',
    parameters: texts('uri', 'username'),
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'DELETE', path: '/realms/:uri/users/:username', status: 204 }],
    async handler({ realms }, [uri, username], { by, conditions }) {
      const edit = deletingUser(String(username))
      return answerOf(await realms.edit(String(uri), edit, by, conditions), { username })
    },
  },
  {
    // adds a grant, or changes the one for the same roles on the same URIs: answers `{uri, ts, warnings}`
    uri: 'service.set_grant',
    parameters: [...texts('uri'), { name: 'grant', type: 'object' }],
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'PUT', path: '/realms/:uri/grants', body: 'grant' }],
    async handler({ realms }, [uri, grant], caller) {
      checkReferences(grant, caller)
      const { by, conditions } = caller
      const edit = settingGrant(grant as JsonMap)
      return answerOf(await realms.edit(String(uri), edit, by, conditions), {})
    },
  },
  {
    // `grant` has the roles, and uri (with match) or resources, of the one to delete: answers `{uri, ts, warnings}`
    uri: 'service.delete_grant',
    parameters: [...texts('uri'), { name: 'grant', type: 'object' }],
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'POST', path: '/realms/:uri/grants/delete', body: 'grant' }],
    async handler({ realms }, [uri, grant], { by, conditions }) {
      const edit = deletingGrant(grant as JsonMap)
      return answerOf(await realms.edit(String(uri), edit, by, conditions), {})
    },
  },
]
