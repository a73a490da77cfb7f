/** The tool that a message to the endpoint of a version calls, as explanations tell of it. */
import { parseJson } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledTool, Route, ToolsEndpoint } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { dataFor } from '#component/gateway/tools/tool-call.ts'
import { withRoutes } from '#component/routes/entry-patterns.ts'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { WatchedPath } from './watched-path.ts'

/** A call. */
export interface CalledTool {
  readonly tool: CompiledTool
  readonly args: JsonMap
}

/** The tool, and the request that its operation gets of the arguments. */
export interface ToldTool {
  readonly name: string
  /** JSON Pointer of the operation. */
  readonly path: string
  readonly method: string
  /** Of the operation, as written, with base_path. */
  readonly pattern: string
  readonly bindings: Readonly<Record<string, string>>
  readonly query_params: Readonly<Record<string, string>>
  /** `""`: none. */
  readonly body: unknown
}

/** The call that a message asks for; undefined: of no tool that there is. The body can be read again. */
export async function calledTool(
  exchange: Exchange,
  { tools, path }: ToolsEndpoint,
): Promise<CalledTool | undefined> {
  let message: unknown
  try {
    message = parseJson(await exchange.readBytes(path.inherited.limits))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
  if (!isMap(message) || message.method !== 'tools/call' || !isMap(message.params)) return undefined
  const { name, arguments: args = {} } = message.params
  const tool = typeof name === 'string' ? tools.byName.get(name) : undefined
  return tool && isMap(args) ? { tool, args } : undefined
}

/** What is told of a call. */
export function toldTool({ tool, args }: CalledTool): ToldTool {
  const { definition, method, operation } = tool
  const { bindings, query_params, body = '' } = dataFor(args, tool)
  const { at: path } = operation
  const { pattern } = operation.path
  return { name: definition.name, path, method, pattern, bindings, query_params, body }
}

/** JSON Pointer of the path of its operation. */
export const pathOf = ({ tool }: CalledTool): string =>
  tool.operation.at.slice(0, tool.operation.at.lastIndexOf('/'))

/** A table of the endpoint alone, whose operation of the tool is the one of another table. */
export function endpointTable(
  entry: RouteEntry<Route>,
  endpoint: ToolsEndpoint,
  { tool }: CalledTool,
  { table }: WatchedPath,
): RoutingTable<Route> {
  const operation = table.entries
    .flatMap(({ routes }) => Object.values(routes))
    .find((route) => route.kind === undefined && route.at === tool.operation.at)
  if (operation?.kind !== undefined || operation === undefined)
    return RoutingTable.build([entry]).table
  const { tools } = endpoint
  const byName = new Map(tools.byName).set(tool.definition.name, { ...tool, operation })
  const post = { ...endpoint, tools: { ...tools, byName } }
  return RoutingTable.build([withRoutes<Route>(entry, { post })]).table
}
