/** What is warned of at an action that sends credentials: secrets that the document shows, and users who have none. */
import type { Issue } from '#component/errors.ts'
import { membersOf as entriesOf } from '#component/expression/compile.ts'
import type { InheritedValues } from '#component/gateway/api.ts'
import { membersOf } from '#component/security/scheme.ts'
import type { CompiledAction } from './compile-action.ts'

/** Whether an upstream of a realm takes a token that was given for that of the user. */
export type TakesUserToken = (realm_uri: string, name: string) => boolean

/** The names of fields that prove who asks. */
const secretName = /authorization|api[-_]?key|token|secret|passw|credential/i

const shown =
  'everybody who may read the document reads this secret: keep it in `auth` of an upstream of the realm'

/** The fields with a secret that the document itself has. */
function shownSecrets({ plan, members, pathOf }: CompiledAction): Issue[] {
  const headers = plan.kind.passesOn ? members.get('headers') : undefined
  const fields = headers && entriesOf(headers)
  return [...(fields ?? [])].flatMap(([name, node]) => {
    const isText = node.kind === 'constant' && typeof node.value === 'string' && node.value !== ''
    return isText && secretName.test(name)
      ? [{ path: pathOf('headers', name), message: shown }]
      : []
  })
}

/** Whether some credentials of the path are a token of the user. */
const provesToken = ({ protection }: Pick<InheritedValues, 'protection'>): boolean =>
  membersOf(protection).some(({ kind }) => kind.tokens !== undefined || kind.givesToken === true)

/** @param takesUserToken absent: upstreams are not looked at */
export function credentialWarnings(
  actions: readonly CompiledAction[],
  inherited: Pick<InheritedValues, 'protection'>,
  {
    realm_uri,
    takesUserToken,
  }: { readonly realm_uri: string; readonly takesUserToken: TakesUserToken | undefined },
): Issue[] {
  return actions.flatMap((action) => {
    const { plan, pathOf } = action
    const field = plan.kind.reaches?.named?.field
    const name = field === undefined ? undefined : plan.fixed[field]
    const isLacking =
      typeof name === 'string' && takesUserToken?.(realm_uri, name) && !provesToken(inherited)
    const message = `the upstream ${JSON.stringify(name)} needs a token of the user, and the security of this operation proves none: every request gets 403`
    return [
      ...shownSecrets(action),
      ...(isLacking && field !== undefined ? [{ path: pathOf(field), message }] : []),
    ]
  })
}
