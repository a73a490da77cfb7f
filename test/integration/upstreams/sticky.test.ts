/** Clients that stay with a target by a cookie. */
import { expect } from 'chai'
import { closeAll, type Handler, startTarget, startWith } from './upstreams.ts'

describe('a sticky upstream', () => {
  afterEach(closeAll)

  async function start() {
    const cookies: unknown[] = []
    const handler: Handler = (request, response) => {
      cookies.push(request.headers.cookie)
      response.setHeader('set-cookie', 'own=1')
      response.end('ok')
    }
    const [one, two] = [await startTarget(handler), await startTarget(handler)]
    const sticky = { cookie: 'billing', max_age: 60 }
    const of = (drain: boolean) => ({
      it: { sticky, targets: [{ url: one.url, drain }, { url: two.url }] },
    })
    const gateway = await startWith(of(false))
    const ask = async (cookie?: string) => {
      const headers = cookie === undefined ? {} : { cookie }
      return (await fetch(`${gateway.url}/v1/it`, { headers })).headers.getSetCookie()
    }
    return { one, two, gateway, ask, of, cookies }
  }
  const valueIn = (set: readonly string[]) => /^billing=([^;]+)/.exec(set[1] ?? '')?.[1] ?? ''

  it('gives a client a cookie that leads it to the same target, and that targets never get', async () => {
    const { one, two, ask, cookies } = await start()
    const set = await ask()
    expect(set[0]).to.equal('own=1')
    const attributes = 'Path=/; Max-Age=60; HttpOnly; SameSite=Lax'
    expect(set[1]).to.match(new RegExp(`^billing=[\\w-]{22}; ${attributes}$`))
    expect([one.asked.length, two.asked.length]).to.deep.equal([1, 0])
    for (let count = 0; count < 4; count += 1) {
      expect(await ask(`a=b; billing=${valueIn(set)}; c=d`)).to.deep.equal(['own=1'])
    }
    expect([one.asked.length, two.asked.length]).to.deep.equal([5, 0])
    expect(cookies.slice(1)).to.deep.equal(Array.from({ length: 4 }, () => 'a=b; c=d'))
  })

  it('has another cookie for each target, the same over a load of the realm', async () => {
    const { gateway, ask, of } = await start()
    const [first, second] = [valueIn(await ask()), valueIn(await ask())]
    expect(first).not.to.equal(second)
    await gateway.setUpstreams({ it: { ...of(false).it, failover: 2 } })
    expect([valueIn(await ask()), valueIn(await ask())].sort()).to.deep.equal(
      [first, second].sort(),
    )
  })

  for (const [what, cookieOf] of [
    ['a cookie that names no target', () => 'billing=nobody'],
    ['an empty cookie', () => 'billing='],
    ['two cookies of the name', (value: string) => `billing=${value}; billing=x`],
  ] as const) {
    it(`gives a new one for ${what}`, async () => {
      const { ask } = await start()
      const value = valueIn(await ask())
      expect(valueIn(await ask(cookieOf(value)))).to.have.lengthOf(22)
    })
  }

  it('leads a client to another target, with its cookie, where its own is drained', async () => {
    const { one, two, gateway, ask, of } = await start()
    const value = valueIn(await ask())
    await gateway.setUpstreams(of(true))
    const next = valueIn(await ask(`billing=${value}`))
    expect(next).to.have.lengthOf(22).and.not.equal(value)
    expect([one.asked.length, two.asked.length]).to.deep.equal([1, 1])
  })
})
