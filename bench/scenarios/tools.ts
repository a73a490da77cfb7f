/** What a tool costs: the same WAMP call by its path, a GET and a POST with its argument in a body, as tools, and by the official SDK on bare node:http. */
import type { Ask } from '#bench/asks.ts'
import { documentOf, post, realm } from '#bench/gateway.ts'
import { absentPackage } from '#bench/processes.ts'
import type { Scenario } from '#bench/stage.ts'
import { callPaths, greetingAsks, procedure, startCallee, startRouter } from './wamp.ts'

const path = '/hello/:name'
const revision = '2026-07-28'
const greeting = 'Hello, Ada!'

const { get } = callPaths[path]

/** The call with its argument in a body, as a tool has it. */
const posted = {
  ...get,
  action: { ...get.action, args: ['{{request.body |> get(name)}}'] },
}

const input = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
}

/** The calls of the bench with tools, on an endpoint at `/mcp`. */
const document = (() => {
  const { id, versions, ...rest } = documentOf('com.example.tools', {})
  const description = 'Greets.'
  const paths = {
    '/tool/:name': { get: { ...get, tool: { name: 'greet', description } } },
    '/tool': { post: { ...posted, tool: { name: 'greet_posted', description, input } } },
  }
  const version = { ...versions['1.0.0'], mcp: { path: '/mcp', name: 'bench' }, paths }
  return { id, ...rest, versions: { '1.0.0': version } }
})()

/** The same by a POST. */
const postAsks: readonly Ask[] = [
  {
    method: 'POST',
    path: '/tool',
    body: JSON.stringify({ name: 'Ada' }),
    expected: { body: JSON.stringify({ greeting }) },
  },
]

/** A call of a tool, as the official client sends it. @param answer as its server writes it */
const toolAsks = (at: string, answer: string, name = 'greet'): readonly Ask[] => [
  {
    method: 'POST',
    path: at,
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: { name: 'Ada' },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': revision,
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
    expected: { body: answer },
  },
]

/** All call one callee on one router. */
export const tools: Scenario = {
  about: 'a WAMP call, its result a short text: by its path, as a tool, by the official SDK',
  build: async (stage) => {
    const router = await startRouter(stage)
    const [ours] = await Promise.all([
      stage.gateway('ours', callPaths, { 'wamp.url': router.url }),
      startCallee(stage, router.url, 'Hello, {}!'),
    ])
    await post(`${ours.admin}/api_specs`, document)
    const structuredContent = { greeting }
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }]
    // each server writes the members of its answer in an order of its own
    const [resultType, jsonrpc, id] = ['complete', '2.0', 1] as const
    const metaOf = (version: string) => ({
      'io.modelcontextprotocol/serverInfo': { name: 'bench', version },
    })
    const ourResult = { resultType, _meta: metaOf('1.0.0'), content, structuredContent }
    const ourAnswer = JSON.stringify({ jsonrpc, id, result: ourResult })
    const bareResult = { content, structuredContent, resultType, _meta: metaOf('1') }
    const bareAnswer = JSON.stringify({ result: bareResult, jsonrpc, id })
    stage.compare('ours, by its path', ours, greetingAsks(greeting))
    stage.compare('ours, tools/call', ours, toolAsks('/mcp', ourAnswer))
    stage.compare('ours, POST by its path', ours, postAsks)
    const postedTool = toolAsks('/mcp', ourAnswer, 'greet_posted')
    stage.compare('ours, tools/call of the POST', ours, postedTool)
    await stage.comparePeer(
      'bare node:http + SDK + wampy',
      absentPackage('@modelcontextprotocol/server'),
      () => stage.peer('bare', 'tools-http.ts', router.url, realm, procedure),
      toolAsks('/', bareAnswer),
    )
  },
}
