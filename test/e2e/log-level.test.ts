/** The level of the log of a running gateway, set by an operator and by a signal: in all its processes. */
import { expect } from 'chai'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { allAnswer } from '#test/support/worker-gateway.ts'

interface Line {
  readonly node?: string
  readonly msg?: string
  readonly log_level?: string
  readonly former_level?: string
  readonly by?: string
}

/** The lines of the log so far. */
const linesOf = ({ output }: GatewayProcess): Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)

const changesOf = (gateway: GatewayProcess) =>
  linesOf(gateway)
    .filter(({ msg }) => msg === 'the log level is set')
    .map(({ log_level, former_level, by }) => ({ log_level, former_level, by }))

const workers = 2

describe('the log level of a gateway of 2 workers', () => {
  let gateway: GatewayProcess

  before(async () => {
    gateway = await startGatewayProcess({ workers: String(workers), 'log.level': 'warn' })
  })
  after(() => gateway.kill('SIGKILL'))

  const nodesThatLog = () =>
    new Set(
      linesOf(gateway)
        .filter(({ msg }) => msg === 'request')
        .map(({ node }) => node),
    ).size

  it('is set by service.set_log_level in all processes', async () => {
    expect(nodesThatLog()).to.equal(0)
    const answer = await send(gateway.adminUrl, '/services/set_log_level', {
      method: 'POST',
      body: { level: 'info' },
    })
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.include({ level: 'info', former_level: 'warn' })
    await allAnswer(gateway, workers)
    await until('every worker logs its requests', () => nodesThatLog() === workers)
    // another process logs it than those that log requests
    await until('the change is logged', () => changesOf(gateway).length === 1)
    const [change] = changesOf(gateway)
    expect(change).to.include({ log_level: 'info', former_level: 'warn' })
    expect(change?.by).to.match(/^local 127\.0\.0\.1:\d+$/)
  })

  it('is toggled by SIGUSR2, which all processes may get', async () => {
    const changes = () => changesOf(gateway).slice(1)
    for (const count of [1, 2]) {
      for (const pid of gateway.workers().values()) process.kill(pid, 'SIGUSR2')
      process.kill(gateway.pid, 'SIGUSR2')
      await until('the signal is obeyed', () => changes().length === count)
    }
    expect(changes()).to.deep.equal([
      { log_level: 'debug', former_level: 'info', by: 'SIGUSR2' },
      { log_level: 'info', former_level: 'debug', by: 'SIGUSR2' },
    ])
    expect(gateway.isRunning).to.equal(true)
  })

  it('is refused when there is no such level', async () => {
    const answer = await send(gateway.adminUrl, '/services/set_log_level', {
      method: 'POST',
      body: { level: 'loud' },
    })
    expect(answer.status).to.equal(400)
    expect((answer.json() as { message: string }).message).to.equal(
      'level: expected one of trace, debug, info, warn, error, fatal, silent',
    )
  })
})
