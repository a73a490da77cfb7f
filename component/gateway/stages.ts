/**
 * All that a request may meet, in the order of behaviour §3. A route has the rows that it needs, chosen when its document is loaded;
 * a request enters them from the top to the one that answers, and its answer leaves them from there to the top.
 */

import { servedPolicies } from '#component/policies/index.ts'
import { action, render, resume, schema, token } from './act.ts'
import type { EndpointKind, InheritedValues, PolicyPlans } from './api.ts'
import {
  body,
  bodyMethods,
  language,
  method,
  negotiate,
  network,
  scheme,
  security,
  toolArguments,
  vary,
} from './checks.ts'
import { caller } from './invocations/caller.ts'
import { input } from './invocations/input.ts'
import { invoke, yielding } from './invocations/yielding.ts'
import { place, websocket } from './sockets/handshake.ts'
import type { Needs, Place, PolicyStage, Stage } from './stage.ts'
import { endpoint, preflight } from './unrouted.ts'

/** A stage, when an operation needs it, and the policy without which it does not hold. */
type Row = readonly [stage: Stage, isNeeded: (operation: Needs) => boolean, policy?: string]

const none: PolicyPlans = {}

/** The stages of policies that stand at a place. */
const policiesAt = (at: Place): readonly Row[] =>
  servedPolicies.flatMap(({ name, stages }) =>
    stages
      .filter(({ place }) => place === at)
      .map(({ stage, isNeeded, isForAll }): Row => {
        const needs = (operation: Needs): boolean => {
          const { policies } = operation.inherited
          if (operation.method === 'options' || !(policies || isForAll)) return false
          return isNeeded(policies ?? none, operation)
        }
        return [stage, needs, name]
      }),
  )

const hasBody = ({ method, readsBody, keepsBody }: Needs): boolean =>
  bodyMethods.has(method) || keepsBody || (readsBody && method !== 'options')

const opensSockets = ({ websocket, isTool }: Needs): boolean => websocket !== undefined && !isTool

const isOptional = ({ protection }: InheritedValues): boolean =>
  protection?.alternatives?.isOptional === true

const table: readonly Row[] = [
  [scheme, ({ inherited }) => !inherited.admitsHttp],
  [network, ({ inherited }) => inherited.allowFrom !== undefined],
  [websocket, opensSockets],
  ...policiesAt('before security'),
  [vary, ({ inherited, method }) => isOptional(inherited) && method !== 'options'],
  [security, ({ inherited, method }) => !!inherited.protection && method !== 'options'],
  [language, ({ path }) => path.version.languages.length > 1],
  ...policiesAt('after security'),
  [toolArguments, ({ isTool }) => isTool],
  [negotiate, ({ negotiated }) => negotiated !== undefined],
  ...policiesAt('before body'),
  [body, hasBody],
  [schema, ({ checks }) => checks !== undefined],
  [resume, ({ streams }) => streams?.kind === 'progress'],
  [token, ({ passesToken }) => passesToken],
  ...policiesAt('before action'),
  [place, opensSockets],
  [action, () => true],
  [render, () => true],
]

/** The stages of an operation. */
export const stagesOf = (operation: Needs): readonly Stage[] =>
  table.filter(([, isNeeded]) => isNeeded(operation)).map(([stage]) => stage)

const hasPolicy =
  (at: Place): ((operation: Needs) => readonly Stage[]) =>
  (operation) =>
    ofInvocations.flatMap(({ stage, place, isNeeded }) =>
      place === at && isNeeded(operation.inherited.policies ?? none, operation) ? [stage] : [],
    )

/** The stages of policies that calls of procedures may have. */
const ofInvocations = servedPolicies.flatMap(({ stages }): readonly PolicyStage[] =>
  stages.filter(({ isOfInvocations }: PolicyStage) => isOfInvocations),
)

/** The stages of a procedure. @param checksInput whether its arguments have a schema */
export const invocationStages = (operation: Needs, checksInput: boolean): readonly Stage[] => [
  caller,
  ...hasPolicy('after security')(operation),
  ...hasPolicy('before body')(operation),
  ...(checksInput ? [input] : []),
  ...hasPolicy('before action')(operation),
  invoke,
  yielding,
]

/** Of a path that does not serve the method. */
export const refusing: readonly Stage[] = [method]

/** What holds for a path, whatever answers. */
const origins = ({ admitsHttp, allowFrom }: InheritedValues): readonly Stage[] => [
  ...(admitsHttp ? [] : [scheme]),
  ...(allowFrom ? [network] : []),
]

/** Of OPTIONS where the document declares none. */
export const preflights = (of: InheritedValues): readonly Stage[] => [...origins(of), preflight]

/** The stages of policies that generated endpoints may have. */
const ofEndpoints = servedPolicies.flatMap(({ stages }): readonly PolicyStage[] =>
  stages.filter(({ isOfEndpoint }: PolicyStage) => isOfEndpoint !== undefined),
)

/** Of a generated endpoint. */
export const endpointStages = (of: InheritedValues, kind: EndpointKind): readonly Stage[] => [
  ...origins(of),
  ...ofEndpoints.flatMap(({ stage, isOfEndpoint }) =>
    of.policies && isOfEndpoint?.(of.policies, kind) ? [stage] : [],
  ),
  ...(isOptional(of) ? [vary] : []),
  ...(of.protection ? [security] : []),
  endpoint,
]

/** The stages that do not hold in a gateway without some policies. @param policies what holds the others, by their names */
export function absentStages(policies: Readonly<Record<string, unknown>>): ReadonlySet<Stage> {
  const absent = table.filter(([, , name]) => name !== undefined && policies[name] === undefined)
  return new Set(absent.map(([stage]) => stage))
}
