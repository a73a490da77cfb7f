/** The official client of the Model Context Protocol in a page of another origin: it uses tools where that origin is listed. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join, relative, sep } from 'node:path'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { ToolCallee, toolNames, toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { launchBrowser } from './chromium.ts'

const root = join(import.meta.dirname, '../..')
const client = 'node_modules/@modelcontextprotocol/client'
const fromClient = createRequire(join(root, client, 'package.json'))

/** Where the modules of a package are served, by a file of it. */
const served = (file: string): string => `/${relative(root, file).split(sep).join('/')}`

/** What the client imports, as a page has it. */
const imports = {
  '@modelcontextprotocol/client': `/${client}/dist/index.mjs`,
  '@modelcontextprotocol/client/_shims': `/${client}/dist/shimsBrowser.mjs`,
  '@modelcontextprotocol/core/internal':
    '/node_modules/@modelcontextprotocol/core/dist/internal.mjs',
  eventsource: served(fromClient.resolve('eventsource')).replace(/\.cjs$/, '.js'),
  'eventsource-parser': served(fromClient.resolve('eventsource-parser')).replace(/\.cjs$/, '.js'),
  'eventsource-parser/stream': served(fromClient.resolve('eventsource-parser/stream')).replace(
    /\.cjs$/,
    '.js',
  ),
  'pkce-challenge': '/node_modules/pkce-challenge/dist/index.browser.js',
  'zod/v4': served(fromClient.resolve('zod/v4')).replace(/\.cjs$/, '.js'),
}

const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>`

/** What the page finds out, in each era of the protocol. */
interface Seen {
  readonly tools?: readonly string[]
  readonly text?: string
  /** Of a call with an argument that does not fit. */
  readonly isError?: boolean | undefined
  readonly failure?: string
}

/** Runs in the page. */
async function useTools([url, mode]: readonly [url: string, mode: string]): Promise<Seen> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const one = new Client(
    { name: 'page', version: '1' },
    { versionNegotiation: { mode: mode as 'legacy' } },
  )
  try {
    await one.connect(new StreamableHTTPClientTransport(new URL(url)))
    const { tools } = await one.listTools()
    const { content } = await one.callTool({ name: 'get_order', arguments: { id: '7' } })
    const { isError } = await one.callTool({
      name: 'create_order',
      arguments: { sku: 'tea', amount: 0 },
    })
    const [first] = content
    const text = first?.type === 'text' ? first.text : ''
    return { tools: tools.map(({ name }: { readonly name: string }) => name), text, isError }
  } catch (error) {
    return { failure: String(error) }
  } finally {
    await one.close()
  }
}

describe('the official client of tools in a page of another origin', () => {
  let pages: Server
  let origin: string
  let browser: Browser
  let page: Page

  before(async () => {
    pages = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      const isModule = pathname.startsWith('/node_modules/') && !pathname.includes('..')
      const text = isModule ? await readFile(join(root, pathname)).catch(() => undefined) : html
      const type = isModule ? 'text/javascript' : 'text/html'
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': type }).end(text)
    })
    await once(pages.listen(0, '127.0.0.1'), 'listening')
    origin = `http://localhost:${(pages.address() as AddressInfo).port}`
    browser = await launchBrowser()
    page = await browser.newPage()
    await page.goto(origin)
  })
  after(async () => {
    await browser?.close()
    pages?.closeAllConnections()
    pages?.close()
  })

  for (const [what, listed] of [
    ['is listed', true],
    ['is not', false],
  ] as const) {
    describe(`that ${what}`, () => {
      let gateway: TestGateway
      let callee: ToolCallee
      before(async () => {
        const origins = JSON.stringify(listed ? [origin] : ['https://other.example'])
        gateway = await startGateway(
          { 'gateway.ws_allowed_origins': origins },
          { isEmbedded: true },
        )
        await gateway.mustLoad(toolsDocument())
        callee = await ToolCallee.join(gateway.routerUrl)
      })
      after(async () => {
        callee?.close()
        await gateway?.stop()
      })

      for (const mode of ['auto', 'legacy']) {
        it(`${listed ? 'lists and calls tools' : 'gets nothing'}: ${mode}`, async () => {
          const seen = await page.evaluate(useTools, [`${gateway.url}/v1/mcp`, mode] as const)
          if (!listed) return expect(seen.failure).to.be.a('string')
          expect(seen.failure).to.equal(undefined)
          expect(seen.tools).to.deep.equal(toolNames)
          expect(JSON.parse(seen.text ?? '')).to.deep.include({ id: '7' })
          return expect(seen.isError).to.equal(true)
        })
      }
    })
  }
})
