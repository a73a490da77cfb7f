/** What must hold when the router is killed and comes back, again and again, while requests come in; for whichever router. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type Ask, type Load, readMetric, startLoad } from '#test/support/load.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { until } from '#test/support/running/until.ts'
import type { KillableRouter } from './killable-router.ts'

const kills = rounds(3, 20)
const clients = 32
const realm = 'com.example.test'
const procedure = 'com.example.test.work'
/** How long a call may take; milliseconds, as the rest. */
const timeout = 3000
/** What the machine may add to a deadline. */
const slack = 500
/** How long the router stays away, and how long it is watched after all sessions have joined again. */
const away = 400
const watched = 700

const operation = (retries: number) => ({
  action: {
    type: 'wamp_call',
    procedure,
    args: ['{{request.bindings.id |> integer}}'],
    timeout,
    retries,
    retry_timeout: 1000,
  },
  response: {
    on_result: { status_code: 200, body: '{{action.result.args |> head}}' },
    on_error: { body: '{{action.error.error_uri}}' },
  },
})

const document = {
  id: 'com.example.lossy',
  host: '_',
  realm_uri: realm,
  // until the callee is back, too, its procedure is not there: for clients that is the same outage
  status_codes: { 'wamp.error.no_such_procedure': 503 },
  versions: {
    '1.0.0': {
      base_path: '/lossy',
      paths: { '/work/:id': { post: operation(0), get: operation(3) } },
    },
  },
}

/** A callee that joins again whenever its connection ends. */
class StubbornCallee {
  /** When each call was executed, by its id; from performance.now(). */
  readonly executions = new Map<number, number[]>()
  isRegistered = false
  readonly #url: string
  #peer: RouterPeer | undefined
  #isStopped = false

  constructor(url: string) {
    this.#url = url
    void this.#run()
  }

  stop(): void {
    this.#isStopped = true
    this.#peer?.cut()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#serve().catch(() => undefined)
      this.isRegistered = false
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** One session, to its end. */
  async #serve(): Promise<void> {
    const peer = await RouterPeer.open(this.#url)
    this.#peer = peer
    peer.webSocket.on('message', (data) => {
      const [type, request, , , args] = JSON.parse(String(data))
      if (type === 68) this.#execute(peer, request, Number(args[0]))
    })
    const joining = async () => {
      const welcome = await peer.ask(1, realm, { roles: { callee: {} } })
      if (welcome[0] !== 2) throw new Error('the router does not welcome the callee')
      await peer.register(procedure)
      this.isRegistered = true
    }
    await Promise.race([joining(), peer.closed])
    if (this.isRegistered) await peer.closed
    peer.cut()
  }

  #execute(peer: RouterPeer, request: number, id: number): void {
    const times = this.executions.get(id) ?? []
    times.push(performance.now())
    this.executions.set(id, times)
    const answer = () => {
      if (peer.webSocket.readyState === peer.webSocket.OPEN) peer.send(70, request, {}, [id])
    }
    // one call in four takes a while: some are under way whenever the router dies
    if (id % 4 === 0) setTimeout(answer, 40)
    else answer()
  }
}

interface Numbered extends Ask {
  readonly id: number
  readonly sentAt: number
}

/** How a request ended. */
interface Outcome extends Numbered {
  readonly at: number
  readonly took: number
  readonly status: number
  readonly body: string
}

/** Can the gateway's own procedures be called on this router? */
async function hasManagement(url: string): Promise<boolean> {
  try {
    const peer = await RouterPeer.join({ url, realm: 'service.gateway' })
    try {
      const [type] = await peer.ask(48, 1, {}, 'service.list_api_specs')
      return type === 50
    } finally {
      peer.cut()
    }
  } catch {
    return false
  }
}

/** Everything that happened. */
class Outages {
  readonly outcomes: Outcome[] = []
  /** Times in which every request should succeed. */
  readonly calm: { readonly from: number; readonly to: number }[] = []
  readonly callee: StubbornCallee
  readonly load: Load
  readonly #router: KillableRouter
  readonly #gateway: TestGateway

  constructor(router: KillableRouter, gateway: TestGateway) {
    this.#router = router
    this.#gateway = gateway
    this.callee = new StubbornCallee(router.url)
    let id = 0
    this.load = startLoad<Numbered>({
      clients,
      pause: 20,
      limit: timeout + 5000,
      ask: () => {
        id += 1
        const method = id % 3 === 0 ? 'GET' : 'POST'
        const url = `${gateway.url}/lossy/work/${id}`
        return { url, method, id, sentAt: performance.now() }
      },
      onAnswer: ({ status, body, took }, ask) => {
        this.outcomes.push({ ...ask, status, body, took, at: performance.now() })
      },
    })
  }

  /** The router goes and comes back once. @throws Error when something has not come back with it after 10 s */
  async happen(): Promise<void> {
    const router = this.#router
    const { adminUrl } = this.#gateway
    await router.kill()
    await pause(away)
    await router.restart()
    await until('the callee is registered again', () => this.callee.isRegistered)
    await until('the procedures of the gateway are registered', () => hasManagement(router.url))
    const joined = `gateway_router_session_up{realm="${realm}",purpose="requests"}`
    await until('the session for requests has joined', async () => {
      return (await readMetric(adminUrl, joined)) === 1
    })
    const from = performance.now()
    await pause(watched)
    this.calm.push({ from, to: performance.now() })
  }

  /** The requests sent in calm times. */
  get inCalm(): Outcome[] {
    return this.outcomes.filter(({ sentAt }) =>
      this.calm.some(({ from, to }) => sentAt >= from && sentAt < to - slack),
    )
  }

  async stop(): Promise<void> {
    await this.load.stop()
    this.callee.stop()
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))

/** The suite. */
export function describeRouterLoss(name: string, start: () => Promise<KillableRouter>): void {
  describe(`the gateway, when ${name} is killed and restarted ${kills} times under load`, function () {
    this.timeout(600_000)
    let router: KillableRouter
    let gateway: TestGateway
    let outages: Outages

    before(async () => {
      router = await start()
      gateway = await startGateway({ 'wamp.url': router.url })
      await gateway.mustLoad(document)
      outages = new Outages(router, gateway)
      await outages.load.more(clients)
      for (let kill = 0; kill < kills; kill += 1) await outages.happen()
      await outages.stop()
    })

    after(async () => {
      await outages?.stop()
      await gateway?.stop()
      await router?.stop()
    })

    it('lets no request hang past its timeout', () => {
      const late = outages.outcomes.filter(({ took }) => took > timeout + slack)
      expect(late).to.deep.equal([])
    })

    it('gives every request its answer, or 502, 503 or 504', () => {
      expect(outages.load.failures).to.deep.equal([])
      const others = outages.outcomes.filter(({ status, body, id }) =>
        status === 200 ? body !== String(id) : ![502, 503, 504].includes(status),
      )
      expect(others).to.deep.equal([])
      expect(outages.outcomes.some(({ status }) => status === 502)).to.equal(true)
    })

    it('answers 99 % with 200 once its sessions and the callee have joined again', () => {
      const { inCalm } = outages
      const good = inCalm.filter(({ status }) => status === 200)
      expect(inCalm.length).to.be.above(kills * 20)
      expect(good.length / inCalm.length).to.be.at.least(0.99)
    })

    it('has no call executed after its 502 was sent, and none twice that may not be', () => {
      const { executions } = outages.callee
      const wrong = outages.outcomes.filter(({ id, status, at, method }) => {
        const times = executions.get(id) ?? []
        const isLate = status === 502 && times.some((time) => time > at)
        return isLate || (method === 'POST' && times.length > 1)
      })
      expect(wrong).to.deep.equal([])
      expect(executions.size).to.be.above(0)
    })

    it('keeps no call in flight', async () => {
      const pending = () => readMetric(gateway.adminUrl, 'gateway_wamp_calls_in_flight')
      await until('no call is in flight', async () => (await pending()) === 0)
    })
  })
}
