/** The gateway as a candidate: started as `npm start` does, on free ports, with an empty store. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Process, root } from './processes.ts'

/** A gateway that runs. */
export interface Gateway {
  readonly process: Process
  /** Base address of the gateway listener. */
  readonly url: string
  /** Where WAMP clients connect, when the router is the embedded one. */
  readonly routerUrl: string
}

/** Splits the product's own start command, so that its flags are never another thing here. */
function startCommand() {
  const text = readFileSync(join(root, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { scripts: { start: string } }
  const words = scripts.start.split(' ')
  const at = words.indexOf('node')
  const environment = Object.fromEntries(words.slice(0, at).map((word) => word.split('=')))
  return { environment: environment as Record<string, string>, args: words.slice(at + 1) }
}

async function post(url: string, body: unknown): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
}

/**
 * Starts one with one realm and one API in it.
 * @param settings options by dotted key, as `--set` takes them
 */
export async function startGateway(
  realm: string,
  paths: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const { environment, args } = startCommand()
  const child = new Process((folder) => {
    const all = {
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      'log.access': 'false',
      data_dir: join(folder, 'data'),
      ...settings,
    }
    return [...args, ...Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`])]
  }, environment)
  try {
    const url = await child.says(/^gateway +(\S+)$/m)
    const admin = await child.says(/^admin +(\S+)$/m)
    const routerUrl = await child.says(/^router +(\S+)$/m)
    await post(`${admin}/services/load_realm`, { uri: realm, authmethods: ['anonymous'] })
    await post(`${admin}/api_specs`, {
      id: realm,
      host: '_',
      realm_uri: realm,
      versions: { '1.0.0': { base_path: '/', paths } },
    })
    return { process: child, url, routerUrl }
  } catch (cause) {
    await child.stop()
    throw cause
  }
}
