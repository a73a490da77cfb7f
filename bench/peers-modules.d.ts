/** The parts of the proxies beside us that their peers use: the bench is checked without its packages, too. */
declare module 'fastify' {
  interface Server {
    register(plugin: unknown, options: { readonly upstream: string }): Promise<unknown>
    listen(where: { readonly host: string; readonly port: number }): Promise<string>
    readonly server: import('node:http').Server
  }
  export default function fastify(): Server
}

declare module '@fastify/http-proxy' {
  const plugin: unknown
  export default plugin
}

declare module 'http-proxy-3' {
  interface Proxy {
    web(
      request: import('node:http').IncomingMessage,
      response: import('node:http').ServerResponse,
    ): unknown
  }
  export function createProxyServer(options: {
    readonly target: string
    readonly agent: import('node:http').Agent
  }): Proxy
}

declare module '@modelcontextprotocol/server' {
  type Answer = Promise<{ readonly content: readonly object[]; readonly structuredContent: object }>
  export class McpServer {
    constructor(info: { readonly name: string; readonly version: string })
    registerTool<T>(
      name: string,
      config: { readonly description: string; readonly inputSchema: Schema<T> },
      call: (input: T) => Answer,
    ): unknown
  }
  interface Schema<T> {
    readonly '~standard': T
  }
  export function fromJsonSchema<T>(schema: object): Schema<T>
  export function createMcpHandler(factory: () => McpServer): object
}

declare module '@modelcontextprotocol/node' {
  export function toNodeHandler(handler: object): import('node:http').RequestListener
}
