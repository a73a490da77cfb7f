/** What a load says of actions that answer with what the gateway has itself. */
import type { Members } from '#component/expression/compile.ts'
import type { Method } from '#component/request.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import type { CompiledAction } from './compile-action.ts'
import type { Findings } from './fold-check.ts'

/** Why documents of a realm may not name a root; undefined: they may. */
export type RootProblem = (realm_uri: string, root: string) => string | undefined

interface ServingOperation {
  readonly method: Method
  readonly actions: readonly CompiledAction[]
  readonly isList: boolean
  readonly forms: readonly KeyedForm[]
  /** JSON Pointer of `on_result`. */
  readonly resultAt: string
  readonly onResult: Members | undefined
  readonly realm_uri: string
  /** Absent: names are not checked. */
  readonly rootProblem: RootProblem | undefined
}

/** Reports what cannot be served. */
export function checkServed(operation: ServingOperation, { issues }: Findings): void {
  for (const { plan, members, pathOf } of operation.actions) {
    const { serves, type } = plan.kind
    if (serves === undefined) continue
    const { method, isList, forms, resultAt, onResult, realm_uri, rootProblem } = operation
    const refuse = (path: string, message: string): void => void issues.push({ path, message })
    if (method !== 'get')
      refuse(pathOf('type'), `${type} is allowed under get, not under ${method}`)
    if (isList) refuse(pathOf('type'), `${type} may not stand in a list of actions`)
    if (onResult?.has('body')) {
      refuse(`${resultAt}/body`, `the response of ${type} has the body of its file: remove body`)
    }
    const hasRest = forms.some(({ form }) => form.at(-1)?.kind === 'rest')
    if (!members.has(serves.pathField) && forms.length > 0 && !hasRest) {
      refuse(pathOf(), `the path has no [...]: say by ${serves.pathField} which file is served`)
    }
    const name = plan.fixed[serves.rootField]
    const problem = typeof name === 'string' ? rootProblem?.(realm_uri, name) : undefined
    if (problem !== undefined) refuse(pathOf(serves.rootField), problem)
  }
}
