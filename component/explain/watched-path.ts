/** Compiles one path or procedure of a document with a recorder, so that explaining costs one of them, whatever the document has. */
import { keysOfPointer } from '#component/codec/json.ts'
import { type CompilePorts, compilation } from '#component/compile/compile.ts'
import type { Route } from '#component/gateway/api.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { validation } from '#component/spec/validate.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { runAtOnce } from '#component/yielding.ts'
import { Recorder } from './recorder.ts'

/** A table of one path or procedure, and what tells of its expressions. */
export interface WatchedPath {
  readonly table: RoutingTable<Route>
  readonly recorder: Recorder
}

/**
 * Compiles one path or procedure.
 * @param document that is served, or compiles: only the path is checked
 * @param at JSON Pointer of it in the document
 * @returns undefined where the document declares no such path or procedure, as those that its security generates
 */
export function watchPath(
  document: JsonMap,
  at: string,
  ports: CompilePorts,
): WatchedPath | undefined {
  const only = partOf(document, keysOfPointer(at))
  if (only === undefined) return undefined
  const { spec } = runAtOnce(validation(only))
  if (spec === undefined) return undefined
  const recorder = new Recorder()
  const { api, issues } = runAtOnce(compilation(spec, { ...ports, probe: recorder }))
  if (api === undefined) throw new TypeError(`a path of a served document: ${issues[0]?.message}`)
  const entries = api.entries.filter(({ path }) => path === at)
  return entries.length > 0 ? { table: RoutingTable.build(entries).table, recorder } : undefined
}

/** The document without its other paths and procedures; actions may hand events to its deliveries. undefined: the keys name neither a path nor a procedure. */
function partOf(document: JsonMap, keys: readonly string[]): JsonMap | undefined {
  const [root, name = '', paths, key] = keys
  const { procedures, ...others } = document
  if (root === 'versions' && paths === 'paths' && key !== undefined)
    return onlyPath(others, name, key)
  if (root !== 'procedures' || !isMap(procedures)) return undefined
  const { versions: _versions, host: _host, ...shared } = others
  return { ...shared, procedures: { [name]: procedures[name] } }
}

/** The document without other paths; its versions keep their places. */
function onlyPath(document: JsonMap, label: string, key: string): JsonMap {
  const { versions } = document
  const only = (version: unknown, name: string): unknown => {
    if (!isMap(version) || !isMap(version.paths)) return version
    const paths = name === label ? { [key]: version.paths[key] } : {}
    return { ...version, paths }
  }
  if (Array.isArray(versions)) {
    return { ...document, versions: versions.map((version, index) => only(version, String(index))) }
  }
  if (!isMap(versions)) return document
  const entries = Object.entries(versions)
  const kept = entries.map(([name, version]) => [name, only(version, name)])
  return { ...document, versions: Object.fromEntries(kept) }
}
