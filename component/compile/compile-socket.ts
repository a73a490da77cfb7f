/** Compiles what an operation says of WebSockets, and reports where it cannot open any. */
import type { SocketTerms } from '#component/action/action.ts'
import type { Issue } from '#component/errors.ts'
import type { PolicyKind } from '#component/policies/kind.ts'
import type { Method } from '#component/request.ts'
import type { CompiledAction } from './compile-action.ts'

/** What decides whether an operation may open WebSockets. */
interface SocketOperation {
  readonly method: Method
  readonly actions: readonly CompiledAction[]
  readonly isList: boolean
  /** Those that hold. */
  readonly policies: readonly (readonly [kind: PolicyKind, plan: unknown])[]
}

/** @returns undefined: it opens none */
export function compileSocket(
  { method, actions, isList, policies }: SocketOperation,
  issues: Issue[],
): SocketTerms | undefined {
  const found = actions.flatMap(({ plan, pathOf }) => {
    const { kind, fixed } = plan
    const terms = kind.socketTerms(fixed)
    return terms ? [{ terms, kind, fixed, path: pathOf(kind.socketKey ?? '') }] : []
  })
  const [first] = found
  if (first === undefined) return undefined
  const { terms, kind, fixed, path } = first
  const { socketKey: key } = kind
  const refuse = (message: string): void => void issues.push({ path, message })
  if (method !== 'get') refuse(`${key} is allowed under get, not under ${method}`)
  if (isList) refuse(`an action with ${key} may not stand in a list of actions`)
  const { http_method = 'get' } = fixed
  if (http_method !== 'get') refuse(`${key} needs the method get, not ${http_method}`)
  for (const [policy] of policies) {
    if (!policy.keepsAnswers) continue
    const name = policy.key
    refuse(
      `${key} and ${name} exclude each other: a WebSocket is no response to keep; "${name}": null takes ${name} away`,
    )
  }
  return terms
}
