/** The official clients of the Model Context Protocol in one form: that of today, in each era it speaks, and that of before. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** What a call comes to; an error of the protocol is thrown. */
interface ToolResult {
  readonly isError?: boolean | undefined
  readonly structuredContent?: unknown
  /** The texts of its content. */
  readonly texts: readonly string[]
}

/** What a client knows of progress. */
interface Progress {
  readonly progress: number
  readonly message?: string | undefined
}

export interface CallOptions {
  /** Receives progress; without it none is asked for. */
  readonly onprogress?: (progress: Progress) => void
  /** Aborted: the client does not want the answer any more. */
  readonly signal?: AbortSignal
}

/** A connected client. */
export interface ToolClient {
  /** The revision that both speak. */
  readonly revision: string | undefined
  readonly serverName: string | undefined
  /** The names of the tools in their order. */
  list(): Promise<readonly string[]>
  call(name: string, args?: object, options?: CallOptions): Promise<ToolResult>
  close(): Promise<void>
}

/** Connects. @param url of the endpoint */
export type OpenToolClient = (
  url: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<ToolClient>

const info = { name: 'test', version: '1' }

interface Content {
  readonly type: string
  readonly text?: string
}

const textsOf = (content: unknown): string[] =>
  (content as readonly Content[]).flatMap(({ text }) => (text === undefined ? [] : [text]))

type Mode = NonNullable<
  NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation']
>['mode']

const opens =
  (mode: Mode): OpenToolClient =>
  async (url, headers = {}) => {
    const client = new Client(info, { versionNegotiation: { mode: mode ?? 'auto' } })
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    await client.connect(transport)
    return {
      revision: client.getNegotiatedProtocolVersion(),
      serverName: client.getServerVersion()?.name,
      async list() {
        const { tools } = await client.listTools()
        return tools.map(({ name }) => name)
      },
      async call(name, args = {}, options = {}) {
        const called = await client.callTool({ name, arguments: { ...args } }, { ...options })
        const { isError, structuredContent, content } = called
        return { isError, structuredContent, texts: textsOf(content) }
      },
      close: () => client.close(),
    }
  }

async function openFormer(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ToolClient> {
  const client = new FormerClient(info)
  const transport = new FormerTransport(new URL(url), { requestInit: { headers } })
  // the types of the library do not know exactOptionalPropertyTypes
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    revision: transport.protocolVersion,
    serverName: client.getServerVersion()?.name,
    async list() {
      const { tools } = await client.listTools()
      return tools.map(({ name }) => name)
    },
    async call(name, args = {}, options = {}) {
      const wanted = { name, arguments: { ...args } }
      const called = await client.callTool(wanted, undefined, { ...options })
      const { isError, structuredContent, content } = called as Record<string, unknown>
      return { isError: isError as boolean | undefined, structuredContent, texts: textsOf(content) }
    },
    close: () => client.close(),
  }
}

/** By name, with the revision that they speak with a server that speaks all. */
export const toolClients: Readonly<
  Record<string, { readonly open: OpenToolClient; readonly revision: string }>
> = {
  'client 2.x, as it finds the server': { open: opens('auto'), revision: '2026-07-28' },
  'client 2.x, 2026-07-28 only': { open: opens({ pin: '2026-07-28' }), revision: '2026-07-28' },
  'client 2.x, with initialize': { open: opens('legacy'), revision: '2025-11-25' },
  'client 1.x': { open: openFormer, revision: '2025-11-25' },
}
