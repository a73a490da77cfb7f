/** The gateway as a candidate: started as `npm start` does, on free ports, with an empty store. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, type Process, root } from './processes.ts'

/** A gateway that runs. */
export interface Gateway {
  readonly process: Process
  /** Base address of the gateway listener. */
  readonly url: string
  /** Base address of the admin listener. */
  readonly admin: string
  /** Where WAMP clients connect, when the router is the embedded one. */
  readonly routerUrl: string
}

/** Path patterns to paths, as in an API Specification. */
export type Paths = Readonly<Record<string, unknown>>

/** The realm of the APIs of the bench. */
export const realm = 'com.example.test'

/** Splits the product's own start command, so that its flags are never another thing here. */
function startCommand(folder: string) {
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { scripts: { start: string } }
  const words = scripts.start.split(' ')
  const at = words.indexOf('node')
  const environment = Object.fromEntries(words.slice(0, at).map((word) => word.split('=')))
  return { environment: environment as Record<string, string>, args: words.slice(at + 1) }
}

/**
 * What starts one.
 * @param settings options by dotted key, as `--set` takes them
 * @param folder of another version of the product
 */
export function gatewayCommand(
  name: string,
  settings: Readonly<Record<string, string>>,
  folder = root,
): Command {
  const { environment, args } = startCommand(folder)
  return {
    name,
    environment,
    folder,
    args: (folder) => {
      const all = {
        'gateway.listen': '127.0.0.1:0',
        'admin.listen': '127.0.0.1:0',
        'log.access': 'false',
        'log.level': 'warn',
        data_dir: join(folder, 'data'),
        'cluster.key': 'alone on the router of the bench',
        ...settings,
      }
      return [
        ...args,
        ...Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
      ]
    },
  }
}

/** Sends JSON. @throws Error when it is refused */
export async function post(url: string, body: unknown): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text.slice(0, 500)}`)
}

/** An API Specification for any host. */
export const documentOf = (id: string, paths: Paths) => ({
  id,
  host: '_',
  realm_uri: realm,
  versions: { '1.0.0': { base_path: '/', paths } },
})

/** Waits until one is up, and loads one realm and one API. */
export async function prepareGateway(process: Process, paths: Paths): Promise<Gateway> {
  const url = await process.says(/^gateway +(\S+)$/m)
  const admin = await process.says(/^admin +(\S+)$/m)
  const routerUrl = await process.says(/^router +(\S+)$/m)
  await post(`${admin}/services/load_realm`, { uri: realm, authmethods: ['anonymous'] })
  await post(`${admin}/api_specs`, documentOf('com.example.bench', paths))
  return { process, url, admin, routerUrl }
}
