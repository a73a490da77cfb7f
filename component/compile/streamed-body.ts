/** Compiles a body that is streamed to the action of its operation: its limits, and what cannot stand beside it. */
import type { Issue } from '#component/errors.ts'
import { membersRead } from '#component/expression/probe/members-read.ts'
import type { ActionPlan, InheritedValues } from '#component/gateway/api.ts'
import { bodyMethods } from '#component/gateway/checks.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import { inForce } from '#component/policies/kinds.ts'
import type { Method, StreamedBody } from '#component/request.ts'
import { membersOf } from '#component/security/scheme.ts'
import { covers, essenceOf, multipartType } from '#component/syntax/media-type.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** Bytes that may come in the time that a client may be silent: fewer are as good as none. */
const leastBytes = 65_536

/** What an expression reads of a file that is not there before all of it has come. */
const ofFile = /^request\.files\.[^.]+\.(?:content|size)$/

const isFileRead = (node: Live): boolean => [...membersRead(node)].some((read) => ofFile.test(read))

/** What decides whether a body can be streamed. */
export interface StreamedOperation {
  readonly method: Method
  readonly written: JsonMap
  /** JSON Pointer of the operation. */
  readonly at: string
  readonly actions: readonly Pick<ActionPlan, 'kind' | 'fixed'>[]
  readonly isList: boolean
  readonly inherited: InheritedValues
  /** Whether an expression or a schema reads the body. */
  readonly isBodyRead: boolean
  /** Every node that is evaluated for a request. */
  readonly nodes: readonly Live[]
  readonly hasStream: boolean
}

/** Undefined where the body is not streamed. */
export function compileStreamedBody(
  operation: StreamedOperation,
  issues: Issue[],
): StreamedBody | undefined {
  const { method, written, at, actions, isList, inherited, isBodyRead, nodes, hasStream } =
    operation
  if (written.body !== 'stream') return undefined
  const { limits, protection, policies, accepts } = inherited
  const [action] = actions
  const hasForms = accepts.some((range) => covers(essenceOf(range), multipartType))
  const isForm = accepts.every((range) => essenceOf(range) === multipartType)
  const isSigned =
    protection !== undefined && membersOf(protection).some(({ kind }) => kind.signsBody)
  const reasons: readonly (readonly [isRefused: boolean, why: string])[] = [
    [!bodyMethods.has(method), 'only POST, PUT and PATCH have a body'],
    [isList, 'a list of actions cannot take it'],
    [action?.kind.takesBody === false, `a ${action?.kind.type} cannot take it`],
    [isBodyRead && !isForm, 'an expression or a schema reads it'],
    [
      isForm && nodes.some(isFileRead),
      'the content of its file is not there when the action begins',
    ],
    [written.tool !== undefined, 'a tool has no such body'],
    [hasStream, 'the response is a stream'],
    [isSigned, 'the signature of the sender is checked before'],
    [
      inForce(policies).some(([kind]) => kind.comparesBodies),
      'it is compared with that of a repeat',
    ],
    [
      hasForms && !isForm && !accepts.includes('*/*'),
      `${multipartType} is read as a form, and stands alone among the types that are accepted`,
    ],
  ]
  for (const [isRefused, why] of reasons) {
    if (isRefused)
      issues.push({ path: `${at}/body`, message: `the body cannot be streamed: ${why}` })
  }
  const idle = written.body_idle_timeout
  const chunkBytes = Number(action?.fixed.chunk_bytes ?? leastBytes)
  return {
    body_max_bytes: limits.body_max_bytes,
    body_read_bytes: leastBytes,
    body_read_seconds: typeof idle === 'number' ? idle : 30_000,
    heldBytes: 2 * chunkBytes,
    form: isForm ? limits.multipart : undefined,
  }
}
