/** Calls a tool: its operation runs as by its own path, and its answer becomes the result that a model reads. */
import { pointer } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledTool } from '#component/gateway/api.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { told } from '#component/schema/mistakes.ts'
import type { Found } from '#component/schema/validators.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { bindingIssues, type CallData, dataOf } from '#component/tool/call-data.ts'
import { RpcError, type RpcId, resultText } from '#component/tool/rpc.ts'
import { collected } from './collected.ts'
import { notSeen } from './refused-tool.ts'
import type { ToolPorts, ToolRequest } from './tool-endpoint.ts'
import { ToolExchange } from './tool-exchange.ts'
import { ToolFrames } from './tool-frames.ts'
import { failedBy, type ResultRules, readResult, resultOf, succeeded } from './tool-result.ts'
import { isRefusal, isWithinReach } from './visible-tools.ts'

/** Methods whose requests have no body: the arguments are query parameters. */
const withoutBody = new Set(['get', 'head', 'delete'])

const eventStream = 'text/event-stream'

/** The head of a stream: nothing on the way keeps it. */
const streamHeaders = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }

/** Answers `tools/call`. @throws RpcError -32602; ServiceError for a client that no security knows */
export async function callTool(request: ToolRequest, ports: ToolPorts): Promise<Reply> {
  const { exchange, endpoint, bindings, era, id, message } = request
  const { tools } = endpoint
  const { name, args, progressToken } = readParams(message.params)
  const tool = tools.byName.get(name)
  if (tool === undefined || !isWithinReach(tool, exchange)) throw await notSeen(request, ports)
  const rules: ResultRules = { era, maxBytes: tools.maxResultBytes }
  const common = era.common(tools.server)
  const answer = (result: string): string => resultText(id, common, result)
  const wantsStream =
    progressToken !== undefined &&
    pieces(tool) === 'framed' &&
    exchange.negotiate([eventStream]) !== undefined
  const frames =
    tool.operation.streams &&
    new ToolFrames({ ...rules, answer, progressToken: wantsStream ? progressToken : undefined })
  const data = dataFor(args, tool)
  const check = () => checkArguments(args, tool)
  const call = new ToolExchange(exchange, tool, { bindings, data, frames, wantsStream, check })
  exchange.served = tool.operation.path
  exchange.tool = name
  const reply = await ports.answer(call, tool)
  const { error } = reply
  const { protection } = tool.operation.inherited
  if (error !== undefined && protection && isRefusal(error)) {
    exchange.served = endpoint.path
    exchange.tool = undefined
    if (error.uri === 'service.error.too_many_requests') throw error
    throw await notSeen(request, ports, { error, protection })
  }
  ports.calls?.called(tool.operation.path.version, name, reply.status)
  const { body } = reply
  if (body.kind === 'events' && wantsStream) {
    return { ...reply, status: 200, headers: streamHeaders, body: { ...body, type: eventStream } }
  }
  const text =
    body.kind === 'events'
      ? await whole(tool, body, rules, answer)
      : answer(
          body.kind === 'stream' ? await readResult(reply, body, rules) : resultOf(reply, rules),
        )
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', bytes: text },
    ...(error && { error }),
    failure: reply.failure ?? (body.kind === 'events' ? body.record.failure : undefined),
  }
}

/** What the request to the operation of a tool has of arguments. */
export const dataFor = (args: JsonMap, { bindings, method }: CompiledTool): CallData =>
  dataOf(args, { bindings, isQuery: withoutBody.has(method) })

/** How an operation tells its progress; undefined: it does not. */
function pieces({ operation: { streams } }: CompiledTool): 'framed' | 'raw' | undefined {
  if (streams?.kind !== 'progress') return undefined
  return streams.isRaw ? 'raw' : 'framed'
}

/** The whole answer of a stream, for a client that reads none. */
async function whole(
  tool: CompiledTool,
  body: Reply['body'] & { readonly kind: 'events' },
  rules: ResultRules,
  answer: (result: string) => string,
): Promise<string> {
  const isRaw = pieces(tool) === 'raw'
  try {
    const bytes = await collected(body, isRaw ? rules.maxBytes : Number.POSITIVE_INFINITY)
    if (!isRaw) return Buffer.from(bytes).toString()
    const text = new TextDecoder().decode(bytes)
    return answer(succeeded(text, JSON.stringify(text), text, rules))
  } catch (error) {
    if (error instanceof ServiceError) return answer(failedBy(error))
    throw error
  }
}

/** What a call names. @throws RpcError -32602 */
function readParams({ name, arguments: args = {}, _meta }: JsonMap): {
  readonly name: string
  readonly args: JsonMap
  readonly progressToken: RpcId | undefined
} {
  const invalid = (message: string) => new RpcError('invalidParams', message, 200)
  if (typeof name !== 'string') throw invalid('expected the name of a tool as params.name')
  if (!isMap(args)) throw invalid('expected a map as params.arguments')
  const token = isMap(_meta) ? _meta.progressToken : undefined
  const isToken =
    typeof token === 'string' || typeof token === 'bigint' || typeof token === 'number'
  return { name, args, progressToken: isToken ? token : undefined }
}

/** @throws ServiceError `service.error.validation_failed` with each mistake; the places are those in the arguments */
function checkArguments(args: JsonMap, tool: CompiledTool): undefined | Promise<undefined> {
  const found = tool.input.mistakesOf(args, '', 'enforce')
  return found instanceof Promise
    ? found.then((mistakes) => refuseArguments(args, tool, mistakes))
    : refuseArguments(args, tool, found)
}

function refuseArguments(args: JsonMap, tool: CompiledTool, mistakes: Found): undefined {
  const issues = bindingIssues(args, tool)
  if (mistakes === undefined && issues.length === 0) return undefined
  const details = [...told(mistakes ?? []), ...issues]
  const [{ path, message } = { path: pointer(''), message: '' }] = details
  const count = details.length === 1 ? '1 mistake, at' : `${details.length} mistakes, the first at`
  throw new ServiceError('service.error.validation_failed', `${count} ${path}: ${message}`, {
    details,
  })
}
