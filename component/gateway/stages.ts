/**
 * All that a request may meet, in the order of behaviour §3. A route has the rows that it needs, chosen when its document is loaded;
 * a request enters them from the top to the one that answers, and its answer leaves them from there to the top.
 */

import { cacheStage as cache, invalidate } from '#component/gateway/policies/caching.ts'
import { etag } from '#component/gateway/policies/conditions.ts'
import { breaker } from '#component/gateway/policies/guarded-actions.ts'
import { idempotency, idempotencyKey } from '#component/gateway/policies/idempotent-request.ts'
import { addressLimit, limit, userLimit } from '#component/gateway/policies/limited-request.ts'
import type { PolicyPorts } from '#component/gateway/policies/ports.ts'
import type { Method } from '#component/request.ts'
import { action, needsSlot, render, resume, schema, slot, token } from './act.ts'
import type { CompiledOperation, InheritedValues } from './api.ts'
import {
  body,
  bodyMethods,
  idempotencyOf,
  language,
  method,
  negotiate,
  network,
  scheme,
  security,
  toolArguments,
} from './checks.ts'
import type { Stage } from './stage.ts'
import { endpoint, preflight } from './unrouted.ts'

/** What decides which stages an operation needs. */
export interface Needs
  extends Pick<
    CompiledOperation,
    | 'path'
    | 'inherited'
    | 'checks'
    | 'negotiated'
    | 'readsBody'
    | 'keepsBody'
    | 'streams'
    | 'passesToken'
    | 'action'
    | 'steps'
  > {
  readonly method: Method
  /** Whether it is the call of a tool. */
  readonly isTool: boolean
}

/** A stage, when an operation needs it, and the part of the gateway without which it does not hold. */
type Row = readonly [
  stage: Stage,
  isNeeded: (operation: Needs) => boolean,
  port?: keyof PolicyPorts,
]

const policiesOf = ({ inherited, method }: Needs) =>
  method === 'options' ? undefined : inherited.policies

const reads = ({ method }: Needs): boolean => method === 'get' || method === 'head'

const hasEarly = (operation: Needs): boolean =>
  policiesOf(operation)?.limits?.some(({ isEarly }) => isEarly) === true

const hasLate = (operation: Needs): boolean => {
  const { limits, quotas } = policiesOf(operation) ?? {}
  return quotas !== undefined || limits?.some(({ isEarly }) => !isEarly) === true
}

const hasKey = ({ inherited, method }: Needs): boolean =>
  idempotencyOf(inherited, method) !== undefined

const hasBody = ({ method, readsBody, keepsBody }: Needs): boolean =>
  bodyMethods.has(method) || keepsBody || (readsBody && method !== 'options')

const table: readonly Row[] = [
  [scheme, ({ inherited }) => !inherited.admitsHttp],
  [network, ({ inherited }) => inherited.allowFrom !== undefined],
  [addressLimit, hasEarly, 'limits'],
  [security, ({ inherited, method }) => !!inherited.protection && method !== 'options'],
  [language, ({ path }) => path.version.languages.length > 1],
  [limit, (operation) => hasLate(operation) && !hasEarly(operation), 'limits'],
  [userLimit, (operation) => hasLate(operation) && hasEarly(operation), 'limits'],
  [toolArguments, ({ isTool }) => isTool],
  [negotiate, ({ negotiated }) => negotiated !== undefined],
  [breaker, (of) => policiesOf(of)?.breaker !== undefined, 'circuits'],
  [etag, (of) => policiesOf(of)?.etag === true, 'conditions'],
  [cache, (of) => reads(of) && policiesOf(of)?.cache !== undefined, 'caching'],
  [idempotencyKey, hasKey, 'idempotency'],
  [body, hasBody],
  [schema, ({ checks }) => checks !== undefined],
  [resume, ({ streams }) => streams?.kind === 'progress'],
  [token, ({ passesToken }) => passesToken],
  [invalidate, (of) => of.method !== 'options' && !reads(of), 'caching'],
  [idempotency, hasKey, 'idempotency'],
  [slot, needsSlot],
  [action, (operation) => !needsSlot(operation)],
  [render, () => true],
]

/** The stages of an operation. */
export const stagesOf = (operation: Needs): readonly Stage[] =>
  table.filter(([, isNeeded]) => isNeeded(operation)).map(([stage]) => stage)

/** Of a path that does not serve the method. */
export const refusing: readonly Stage[] = [method]

/** What holds for a path, whatever answers. */
const origins = ({ admitsHttp, allowFrom }: InheritedValues): readonly Stage[] => [
  ...(admitsHttp ? [] : [scheme]),
  ...(allowFrom ? [network] : []),
]

/** Of OPTIONS where the document declares none. */
export const preflights = (of: InheritedValues): readonly Stage[] => [...origins(of), preflight]

/** Of a generated endpoint. */
export const endpointStages = (of: InheritedValues): readonly Stage[] => [
  ...origins(of),
  ...(of.protection ? [security] : []),
  endpoint,
]

/** The stages that do not hold in a gateway without some policies. */
export function absentStages(policies: Partial<PolicyPorts>): ReadonlySet<Stage> {
  const absent = table.filter(([, , port]) => port !== undefined && policies[port] === undefined)
  return new Set(absent.map(([stage]) => stage))
}
