/** The OIDC example as its page says to run it, over TLS, and a browser on it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { writeCertificate } from '#test/support/certificate.ts'
import { freePort } from '#test/support/free-port.ts'
import { end, lineOf, shellLinesOf, type } from '#test/support/typed.ts'
import { launchBrowser } from './chromium.ts'

const folder = 'examples/oidc-login'
const root = join(import.meta.dirname, '../..')

/** What the page says to type: for the provider, for the gateway. */
const [startProvider = '', startGateway = ''] = shellLinesOf(`${folder}/README.md`)

/** The example, running. */
export interface RunningExample {
  /** Of the gateway: `https://localhost:…`. */
  readonly origin: string
  readonly browser: Browser
  /** Asks the gateway without a browser. */
  get(path: string): Promise<{ readonly status: number; readonly location: string | undefined }>
  /** Loads the realm with these settings of its provider, more providers, and other members, in place of what it had. */
  declare(
    settings: object,
    more?: Readonly<Record<string, object>>,
    members?: object,
  ): Promise<void>
  /** The provider is started anew, with another key. */
  restartProvider(): Promise<void>
  stop(): Promise<void>
}

/** Starts provider, gateway and browser, on free ports. */
export async function runExample(): Promise<RunningExample> {
  const scratch = mkdtempSync(join(tmpdir(), 'gateway-browser-'))
  const { cert, key, authorityPin } = writeCertificate(scratch)
  const [port, providerPort, adminPort] = [await freePort(), await freePort(), await freePort()]
  const origin = `https://localhost:${port}`
  const issuer = `http://127.0.0.1:${providerPort}`
  const copy = (name: string) => {
    const text = readFileSync(join(root, folder, name), 'utf8')
    const path = join(scratch, name)
    writeFileSync(path, text.replaceAll('http://127.0.0.1:18083', issuer))
    return `[${path}]`
  }
  const settings = {
    'gateway.listen': `127.0.0.1:${port}`,
    'gateway.public_base_url': origin,
    'gateway.ws_allowed_origins': `[${origin}]`,
    'gateway.tls': `{cert: ${cert}, key: ${key}}`,
    'admin.listen': `127.0.0.1:${adminPort}`,
    'log.level': 'warn',
    data_dir: join(scratch, 'data'),
    realms: copy('realm.json'),
    specs: copy('api-spec.json'),
  }
  const flags = Object.entries(settings).map(([name, value]) => `--set '${name}=${value}'`)
  const openProvider = () => type(`${startProvider.trimEnd()} -- ${issuer} ${origin} token`)
  let provider = openProvider()
  const gateway = type(`${startGateway.trimEnd()} ${flags.join(' ')}`)
  const open = async () => {
    await lineOf(provider, /^provider /)
    await lineOf(gateway, /^router /)
    return await launchBrowser(`--ignore-certificate-errors-spki-list=${authorityPin}`)
  }
  const endAll = async () => {
    await Promise.all([end(gateway), end(provider)])
    rmSync(scratch, { recursive: true, force: true })
  }
  const browser = await open().catch(async (error) => {
    await endAll()
    throw error
  })
  const agent = new Agent({ ca: readFileSync(cert), keepAlive: true })
  return {
    origin,
    browser,
    get: (path) =>
      new Promise((resolve, reject) => {
        request(`${origin}${path}`, { agent }, (answer) => {
          const { statusCode: status = 0, headers } = answer.resume()
          answer.on('end', () => resolve({ status, location: headers.location }))
        })
          .on('error', reject)
          .end()
      }),
    async declare(settings, more = {}, members = {}) {
      const realm = JSON.parse(readFileSync(join(scratch, 'realm.json'), 'utf8'))
      const { main } = realm.info.oidc_providers
      const entry = { ...main, ...settings }
      realm.info.oidc_providers = { main: entry }
      for (const [name, one] of Object.entries(more)) {
        realm.info.oidc_providers[name] = { ...main, ...one }
      }
      const answer = await fetch(`http://127.0.0.1:${adminPort}/realms`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...realm, ...members }),
      })
      if (!answer.ok) throw new Error(await answer.text())
    },
    async restartProvider() {
      await end(provider)
      provider = openProvider()
      await lineOf(provider, /^provider /)
    },
    async stop() {
      agent.destroy()
      await browser.close()
      await endAll()
    },
  }
}
