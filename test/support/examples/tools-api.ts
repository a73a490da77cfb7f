/** An API whose operations are tools, and the callee behind them, who tells what reaches it. */
import { RouterPeer } from '#test/contract/router/peer.ts'

/** The realm of both; open to all. */
export const toolsRealm = 'com.example.test'

const prefix = 'com.example.tools.'

const response = {
  on_result: { body: '{{action.result.args |> head}}' },
  on_error: { body: '{{action.error.kwargs |> put(code, {{action.error.error_uri}})}}' },
}

const call = (name: string, more: object = {}) => ({
  ...{ type: 'wamp_call', procedure: prefix + name, ...more },
})

/** What the callee `echo` is told of a request. */
const everything = {
  method: '{{request.method}}',
  bindings: '{{request.bindings}}',
  query: '{{request.query_params}}',
  headers: '{{request.headers}}',
  body: '{{request.body}}',
}

const any = { type: 'object' }

const described = (name: string, more: object = {}) => ({
  ...{ name, description: `The tool ${name}.`, ...more },
})

const id = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }

/** Paths with a tool each, by what their callee does. */
export const toolPaths = {
  '/orders/:id': {
    get: {
      tool: described('get_order'),
      action: call('get', { args: ['{{request.bindings.id}}'] }),
      response,
    },
  },
  '/orders': {
    post: {
      tool: described('create_order', {
        input: {
          type: 'object',
          properties: { sku: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
          required: ['sku', 'amount'],
          additionalProperties: false,
        },
      }),
      action: call('echo', { kwargs: { body: '{{request.body}}' } }),
      response,
    },
  },
  '/list': {
    get: { tool: described('list_orders', { input: any }), action: call('list'), response },
  },
  '/fail': { post: { tool: described('fail', { input: any }), action: call('fail'), response } },
  '/reports/:id': {
    post: {
      tool: described('build_report'),
      action: call('build', { args: ['{{request.bindings.id}}'], timeout: 20_000 }),
      response: { ...response, on_progress: { body: '{{action.progress.args |> head}}' } },
    },
  },
  '/read/:id': {
    get: {
      tool: described('read_any', { input: id }),
      action: call('echo', { kwargs: everything }),
      response,
    },
  },
  '/write/:id': {
    put: {
      tool: described('write_any', { input: id }),
      action: call('echo', { kwargs: everything }),
      response,
    },
  },
}

/** Of the tools of {@link toolPaths}, in the order of the document. */
export const toolNames: readonly string[] = [
  ...['get_order', 'create_order', 'list_orders', 'fail', 'build_report', 'read_any', 'write_any'],
]

/** A document with an endpoint at `/v1/mcp`. @param more members of the version */
export const toolsDocument = (paths: object = toolPaths, more: object = {}) => ({
  ...{ id: 'com.example.tools', host: '_', realm_uri: toolsRealm },
  versions: { '1': { base_path: '/v1', mcp: { path: '/mcp', name: 'orders' }, ...more, paths } },
})

/** A call that has reached the callee. */
export interface ReachedCall {
  /** Its name behind the prefix. */
  readonly procedure: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
}

/** Who serves the procedures; made by {@link ToolCallee.join}. */
export class ToolCallee {
  /** All of them, in their order. */
  readonly calls: ReachedCall[] = []
  /** How often INTERRUPT has come. */
  interrupts = 0
  /** How many calls of `build` are not answered yet. */
  working = 0
  readonly #peer: RouterPeer
  readonly #procedures = new Map<unknown, string>()
  /** The request of the last call of `build`. */
  #build: unknown

  private constructor(peer: RouterPeer) {
    this.#peer = peer
  }

  static async join(url: string): Promise<ToolCallee> {
    const peer = await RouterPeer.join({ url, realm: toolsRealm })
    const callee = new ToolCallee(peer)
    for (const name of ['get', 'list', 'echo', 'fail', 'bytes', 'build']) {
      callee.#procedures.set(await peer.register(prefix + name), name)
    }
    void callee.#serve()
    return callee
  }

  /** Sends a progressive result of the last call of `build`. */
  tell(piece: unknown): void {
    this.#peer.send(70, this.#build, { progress: true }, [piece])
  }

  /** Answers the last call of `build`. */
  finish(result: unknown): void {
    this.working -= 1
    this.#peer.send(70, this.#build, {}, [result])
  }

  close(): void {
    this.#peer.cut()
  }

  async #serve(): Promise<void> {
    for (;;) {
      const [code, request, registration, , args = [], kwargs = {}] = await this.#peer.next()
      if (code === 69) this.#interrupted(request)
      if (code !== 68) continue
      const procedure = this.#procedures.get(registration) ?? ''
      this.calls.push({ procedure, args, kwargs } as ReachedCall)
      this.#answer(procedure, request, args as unknown[], kwargs)
    }
  }

  #interrupted(request: unknown): void {
    this.interrupts += 1
    this.working -= 1
    this.#peer.send(8, 68, request, {}, 'wamp.error.canceled')
  }

  #answer(procedure: string, request: unknown, args: readonly unknown[], kwargs: unknown): void {
    if (procedure === 'get') this.#peer.send(70, request, {}, [{ id: args[0], state: 'open' }])
    else if (procedure === 'list') this.#peer.send(70, request, {}, [[{ id: '1' }, { id: '2' }]])
    else if (procedure === 'echo') this.#peer.send(70, request, {}, [kwargs])
    else if (procedure === 'bytes')
      this.#peer.send(70, request, {}, ['\0/9j/4AAQSkZJRg==']) // WAMP, JSON: binary
    else if (procedure === 'fail') {
      this.#peer.send(8, 68, request, {}, 'com.example.broken', [], { part: 'wheel' })
    } else {
      this.working += 1
      this.#build = request
    }
  }
}
