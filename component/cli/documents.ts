/** The commands that show or change one API Specification of a running gateway: list, get, info, versions, delete, rollback. */

import { isMap, type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import { pathOf as pathOfObject } from '#procedures/definition/procedure.ts'
import { AdminClient, type Condition } from './admin-client.ts'
import type { Invocation, Result, Run } from './command.ts'
import { pretty } from './format.ts'
import { table } from './table.ts'

/** The JSON objects of a list. */
export const listOf = (body: unknown): readonly JsonMap[] =>
  Array.isArray(body) ? body.filter(isMap) : []

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `ts` of management, milliseconds since the epoch, as a time of RFC 3339 in UTC. */
export const timeOf = (value: unknown): string =>
  typeof value === 'number' ? new Date(value).toISOString() : ''

/** The path of a document in management. */
export const pathOf = (id: string | undefined, rest = ''): string =>
  pathOfObject('api_specs', id ?? '') + rest

/** The path of a realm in management, or of what it has. */
export const realmPath = (uri: string, ...rest: readonly string[]): string =>
  [pathOfObject('realms', uri), ...rest.map(encodeURIComponent)].join('/')

/** The condition of `--if-match`. */
export function conditionOf(invocation: Invocation): Condition | undefined {
  const hash = invocation.option('if-match')
  return hash === undefined ? undefined : { hash }
}

/** The document without `ts`, which management adds: what a load takes. */
export function withoutTs(document: JsonMap): JsonMap {
  const { ts: _, ...loaded } = document
  return loaded
}

const asJson = (value: unknown): Result => ({ value, text: `${pretty(value)}\n` })

/** `list`: `[{id, name, host, realm_uri, versions: [label], ts}]`, by id. */
export const list: Run = async (invocation) => {
  const { body } = await new AdminClient(invocation).request('GET', '/api_specs')
  const value = listOf(body).map(({ id, name, host, realm_uri, versions, ts }) => ({
    ...{ id, name, host, realm_uri },
    versions: Object.keys(mapOrEmpty(versions)),
    ts,
  }))
  const rows = value.map(({ id, host, versions, realm_uri, ts }) => [
    textOf(id),
    textOf(host),
    versions.join(', '),
    textOf(realm_uri),
    timeOf(ts),
  ])
  return { value, text: table(['ID', 'HOST', 'VERSIONS', 'REALM', 'LOADED'], rows) }
}

/** `get`: the document, as a load takes it. */
export const get: Run = async (invocation) => {
  const { body } = await new AdminClient(invocation).request(
    'GET',
    pathOf(invocation.positionals[0]),
  )
  return asJson(withoutTs(mapOrEmpty(body)))
}

/** `info`: id, name, host, realm_uri, meta and ts. */
export const info: Run = async (invocation) => {
  const path = pathOf(invocation.positionals[0], '/info')
  const { body } = await new AdminClient(invocation).request('GET', path)
  return asJson(body)
}

/** `versions`: `[{ts, hash, node, by, is_current, is_deleted}]`, newest first. */
export const versions: Run = async (invocation) => {
  const path = pathOf(invocation.positionals[0], '/versions')
  const { body } = await new AdminClient(invocation).request('GET', path)
  return { value: body, text: versionRows(body) }
}

/** The table of the versions of a document, for people. @param body `[{ts, hash, node, by, is_current, is_deleted}]` */
export function versionRows(body: unknown): string {
  const rows = listOf(body).map(({ ts, hash, node, by, is_current, is_deleted }) => [
    timeOf(ts),
    is_deleted === true ? 'deleted' : textOf(hash),
    textOf(node),
    textOf(by),
    is_current === true ? 'current' : '',
  ])
  return table(['LOADED', 'HASH', 'NODE', 'BY', ''], rows)
}

/** `delete`: `{id}`. */
export const remove: Run = async (invocation) => {
  const id = invocation.positionals[0] ?? ''
  const client = new AdminClient(invocation)
  await client.request('DELETE', pathOf(id), undefined, conditionOf(invocation))
  return { value: { id }, text: `deleted ${id}\n` }
}

/** `rollback`: `{id, ts, warnings}`. The hash may be shortened. */
export const rollback: Run = async (invocation) => {
  const [id = '', hash = ''] = invocation.positionals
  const client = new AdminClient(invocation)
  const request = JSON.stringify({ hash })
  const condition = conditionOf(invocation)
  const { body } = await client.request('POST', pathOf(id, '/rollback'), request, condition)
  return { value: body, text: `loaded ${id} as of ${hash}\n` }
}
