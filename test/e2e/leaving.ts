/** What clients see while a gateway leaves and a balancer takes it out. */
import { Agent } from 'node:http'
import type { Ending, GatewayProcess } from '#test/support/gateway-process.ts'
import { send, startLoad } from '#test/support/load.ts'

/** Two gateways behind a balancer, and a path that both serve. */
interface Balanced {
  readonly leaving: GatewayProcess
  readonly staying: GatewayProcess
  readonly path: string
}

/** How it went. */
interface Left {
  readonly ending: Ending
  readonly failures: readonly string[]
  /** Of all answers. */
  readonly statuses: ReadonlySet<number>
}

/** 50 clients ask on while one gateway gets SIGTERM; the balancer asks it for /ready every 300 ms, and then the other one. */
export async function leaveUnderLoad({ leaving, staying, path }: Balanced): Promise<Left> {
  let target = leaving
  const agent = new Agent({ keepAlive: true })
  const check = async () => {
    const isReady = await send({ url: `${leaving.adminUrl}/ready` }, agent).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (!isReady) target = staying
  }
  const health = setInterval(check, 300)
  const statuses = new Set<number>()
  const load = startLoad({
    clients: 50,
    pause: 5,
    ask: () => ({ url: `${target.url}${path}` }),
    onAnswer: ({ status }) => statuses.add(status),
  })
  try {
    await load.more(1000)
    const ending = await leaving.kill('SIGTERM')
    await load.more(1000)
    return { ending, failures: load.failures, statuses }
  } finally {
    await load.stop()
    clearInterval(health)
    agent.destroy()
  }
}
