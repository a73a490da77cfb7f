/** The call of a tool as a request to its operation: its arguments are data, and its credentials are those of the POST. */
import type { HeldBody } from '#component/action/action.ts'
import { stringifyJson } from '#component/codec/json.ts'
import type { ServiceError } from '#component/errors.ts'
import type { CompiledTool } from '#component/gateway/api.ts'
import type { Content, Exchange } from '#component/gateway/exchange.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type { ContentLimits } from '#component/request.ts'
import { longestPath } from '#component/routes/concrete-path.ts'
import type { SecuredRequest } from '#component/security/scheme.ts'
import type { Frames } from '#component/stream/frames.ts'
import { isStreamType } from '#component/syntax/event-stream.ts'
import { conditionalFields } from '#component/syntax/http-field.ts'
import { essenceOf } from '#component/syntax/media-type.ts'
import type { CallData } from '#component/tool/call-data.ts'

const json = 'application/json'

/** Fields of the POST that are about its own body and answer. */
const ofPost = new Set([
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'last-event-id',
  'range',
  'transfer-encoding',
])

const isPassed = (name: string): boolean =>
  !ofPost.has(name) && !conditionalFields.has(name) && !name.startsWith('mcp-')

/** What is particular to one call. */
export interface ToolCall {
  /** Of the address of the endpoint: base_path and host may have some. */
  readonly bindings: Readonly<Record<string, string>>
  readonly data: CallData
  /** Takes the pieces of a call; absent: they are not wanted. */
  readonly frames?: Frames | undefined
  /** Whether the answer may be a stream; else it is one only where the operation has no other. */
  readonly wantsStream?: boolean
  /** Checks the arguments. ServiceError */
  check?(): undefined | Promise<undefined>
}

/** The request to the operation of a tool. */
export class ToolExchange implements Exchange {
  readonly method: Exchange['method']
  readonly query_params: Exchange['query_params']
  readonly query_lists: Exchange['query_lists']
  readonly bindings: Readonly<Record<string, string>>
  readonly frames: Frames | undefined
  readonly served: ServedPath
  readonly tool: string
  readonly #of: Exchange
  readonly #tool: CompiledTool
  readonly #call: ToolCall
  #headers: Exchange['headers'] | undefined
  #text: string | undefined

  /** @param of the POST */
  constructor(of: Exchange, tool: CompiledTool, call: ToolCall) {
    const { data } = call
    this.#of = of
    this.#tool = tool
    this.#call = call
    this.method = tool.method
    this.query_params = data.query_params
    this.query_lists = data.query_lists
    this.bindings = { ...call.bindings, ...data.bindings }
    this.frames = call.frames
    this.served = tool.operation.path
    this.tool = tool.definition.name
  }

  get secured(): SecuredRequest {
    return new SecuredCall(this.#of, this, this.#tool)
  }

  get id() {
    return this.#of.id
  }
  get scheme() {
    return this.#of.scheme
  }
  get host() {
    return this.#of.host
  }
  get port() {
    return this.#of.port
  }
  get peername() {
    return this.#of.peername
  }
  get client() {
    return this.#of.client
  }
  get trace() {
    return this.#of.trace
  }
  get listener() {
    return this.#of.listener
  }
  get cookies() {
    return this.#of.cookies
  }
  set cookies(cookies: Exchange['cookies']) {
    this.#of.cookies = cookies
  }

  /** The path of a request to the operation; it is never parsed. Where a binding is missing it is the pattern. */
  get path(): string {
    const { forms, operation } = this.#tool
    const segments = forms.map(({ form }) => form)
    return longestPath(segments, this.bindings) ?? operation.path.pattern
  }

  get query_string(): string {
    const query = new URLSearchParams()
    for (const [name, values] of Object.entries(this.query_lists)) {
      for (const value of values) query.append(name, value)
    }
    return query.toString()
  }

  get headers(): Exchange['headers'] {
    if (this.#headers === undefined) {
      const passed = Object.entries(this.#of.headers).filter(([name]) => isPassed(name))
      const ofBody = this.hasBody ? { 'content-type': json } : {}
      this.#headers = { ...Object.fromEntries(passed), ...ofBody }
    }
    return this.#headers
  }

  header(name: string): string | undefined {
    if (isPassed(name)) return this.#of.header(name)
    return name === 'content-type' && this.hasBody ? json : undefined
  }

  checkArguments(): undefined | Promise<undefined> {
    return this.#call.check?.()
  }

  get hasBody(): boolean {
    return this.#call.data.body !== undefined
  }

  /** JSON where there is a choice; a stream where it is wanted, or there is nothing else. */
  negotiate(provides: readonly string[]): string | undefined {
    let [stream, ofJson, other]: (string | undefined)[] = []
    for (const type of provides) {
      const essence = essenceOf(type)
      if (isStreamType(essence)) stream ??= type
      else if (essence === json) ofJson ??= type
      else other ??= type
    }
    return (this.#call.wantsStream ? stream : undefined) ?? ofJson ?? other ?? stream
  }

  negotiateLanguage(languages: readonly string[]): string {
    return this.#of.negotiateLanguage(languages)
  }

  /** Arguments are no body of any type. */
  isAccepted(): boolean {
    return true
  }

  get #bytes(): Uint8Array {
    const { body } = this.#call.data
    this.#text ??= body === undefined ? '' : stringifyJson(body)
    return Buffer.from(this.#text)
  }

  async readBody(_limits: ContentLimits, onBytes?: (bytes: Uint8Array) => void): Promise<Content> {
    onBytes?.(this.#bytes)
    return new CallContent(this.#call.data.body ?? '', () => this.#bytes)
  }

  async readBytes(): Promise<Uint8Array> {
    return this.#bytes
  }

  async readText(): Promise<string> {
    return Buffer.from(this.#bytes).toString()
  }

  rawBody(): HeldBody {
    return { bytes: this.#bytes, isInflated: false }
  }

  onAbort(callback: (reason?: ServiceError) => void): void {
    this.#of.onAbort(callback)
  }
}

/** Arguments as a body, which are written only where somebody asks for their bytes. */
class CallContent implements Content {
  readonly body: unknown
  readonly #bytes: () => Uint8Array

  constructor(body: unknown, bytes: () => Uint8Array) {
    this.body = body
    this.#bytes = bytes
  }

  get body_length(): number {
    return this.#bytes().length
  }

  get held(): HeldBody {
    return { bytes: this.#bytes(), isInflated: false }
  }
}

/** The call as security sees it: the credentials are those of the POST, and so is what a browser may send by itself. */
class SecuredCall implements SecuredRequest {
  readonly method: SecuredRequest['method']
  readonly #of: Exchange
  readonly #call: ToolExchange

  constructor(of: Exchange, call: ToolExchange, { operation }: CompiledTool) {
    this.#of = of
    this.#call = call
    // another service decides by what is done; a cookie needs proof in every POST
    const { kind, alternatives } = operation.inherited.protection ?? {}
    this.method = kind?.decidesByRequest && !alternatives?.hasLogin ? call.method : of.method
  }

  get scheme() {
    return this.#of.scheme
  }
  get host() {
    return this.#of.host
  }
  get peername() {
    return this.#of.peername
  }
  get path() {
    return this.#call.path
  }
  get query_string() {
    return this.#call.query_string
  }
  get headers() {
    return this.#call.headers
  }
  get clientCertificate() {
    const { clientCertificate } = this.#of
    return clientCertificate && (() => this.#of.clientCertificate?.())
  }
  get cookies() {
    return this.#of.cookies
  }
  set cookies(cookies: SecuredRequest['cookies']) {
    this.#of.cookies = cookies
  }
  get via() {
    return this.#of.via
  }
  set via(via: string | undefined) {
    this.#of.via = via
  }

  header(name: string): string | undefined {
    return this.#of.header(name)
  }

  async readBytes(): Promise<Uint8Array> {
    return this.#call.readBytes()
  }
}
