/** The demonstration of `npm start` without a configuration: the hello example, with its backend in a process of its own. */
import { fork } from 'node:child_process'
import { extname, join } from 'node:path'

const folder = join(import.meta.dirname, '../examples/hello')

/** The configuration of the demonstration; its documents are found from every working folder. */
export const demoConfig = join(folder, 'gateway.yaml')
export const demoSettings: readonly string[] = [
  `realms=${JSON.stringify([join(folder, 'realm.json')])}`,
  `specs=${JSON.stringify([join(folder, 'api-spec.json')])}`,
]

/** The backend, running. */
export interface Demo {
  stop(): void
}

const tour = (gateway: string, admin: string) => `
Try, in another terminal:
  curl ${gateway}/hello/Ada
  curl -i -X POST ${gateway}/waves -H 'content-type: application/json' -d '{"from":"me"}'
  curl ${gateway}/waves
  curl ${gateway}/quotes/1
  curl ${gateway}/about
  curl ${admin}/api_specs/com.example.hello/info

Ctrl-C ends it. Your own set-up: the option --config FILE (see README.md).
`

/**
 * Starts the example's backend, waits until it has registered its procedures, and prints what to try.
 * @returns undefined when the backend ended; it has printed the reason
 */
export async function startDemo(component: {
  readonly gatewayUrls: readonly string[]
  readonly adminUrls: readonly string[]
  readonly routerUrl: string
}): Promise<Demo | undefined> {
  const backend = fork(join(folder, `backend${extname(import.meta.filename)}`), [
    component.routerUrl,
  ])
  await new Promise((resolve) => backend.once('message', resolve).once('exit', resolve))
  if (backend.exitCode !== null) return undefined
  process.stdout.write(tour(component.gatewayUrls[0] ?? '', component.adminUrls[0] ?? ''))
  return { stop: () => void backend.kill() }
}
