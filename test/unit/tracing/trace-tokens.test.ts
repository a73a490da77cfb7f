/** Trace tokens: shown once, checked on every node, and alive until their end. */
import { expect } from 'chai'
import type { Clock } from '#component/clock.ts'
import { SecretBox } from '#component/secret-box.ts'
import { TraceTokens } from '#component/tracing/trace-tokens.ts'
import { nodeOf, start } from '#test/unit/replica/doubles.ts'

const grant = { api_spec: 'com.example.orders', realm_uri: 'com.example' }

async function open(storeKey = 'the store.key of these tests') {
  const { replica } = await nodeOf('a')
  let now = start
  const timers: { at: number; callback: () => void }[] = []
  const clock: Pick<Clock, 'now' | 'after'> = {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
  }
  const pass = (ms: number): void => {
    now += ms
    for (const timer of timers.filter(({ at }) => at <= now)) {
      timers.splice(timers.indexOf(timer), 1)
      timer.callback()
    }
  }
  const tokens = new TraceTokens({ replica, box: new SecretBox(storeKey), clock })
  const alive: boolean[] = []
  tokens.onAlive = (isAlive) => alive.push(isAlive)
  tokens.start()
  return { replica, tokens, alive, pass }
}

describe('a trace token', () => {
  it('grants what it was made for, until its end', async () => {
    const { tokens, pass } = await open()
    const { id, token, expires_at } = await tokens.issue({ ...grant, route: '/a' }, 60)
    expect(token).to.match(new RegExp(`^gt_${id}_[\\w-]{43}$`))
    expect(expires_at).to.equal(start + 60_000)
    expect(tokens.find(token)).to.deep.include({ ...grant, route: '/a' })
    pass(59_999)
    expect(tokens.find(token)).to.not.equal(undefined)
    pass(1)
    expect(tokens.find(token)).to.equal(undefined)
  })

  it('is not stored', async () => {
    const { replica, tokens } = await open()
    const { id, token } = await tokens.issue(grant, 60)
    expect(replica.get('trace', id)?.document).to.deep.equal({ ...grant, exp: start / 1000 + 60 })
    expect(JSON.stringify(replica.entries('trace'))).to.not.contain(token.slice(-43))
  })

  it('holds for nothing else, whatever another node says of it', async () => {
    const { replica, tokens } = await open()
    const { id, token } = await tokens.issue(grant, 60)
    for (const changed of [{ api_spec: 'other' }, { exp: start / 1000 + 3_600 }, { route: '/b' }]) {
      const document = { ...grant, exp: start / 1000 + 60, ...changed }
      await replica.change('trace', () => [{ id, document }])
      expect(tokens.find(token)).to.equal(undefined)
    }
  })

  it('does not hold under another store.key, with another id, or cut', async () => {
    const { replica, tokens } = await open()
    const { token } = await tokens.issue(grant, 60)
    const box = new SecretBox('another store.key of these tests')
    const clock = { now: () => start, after: () => () => undefined }
    expect(new TraceTokens({ replica, box, clock }).find(token)).to.equal(undefined)
    expect(tokens.find(token.replace(/^gt_.{12}/, 'gt_AAAAAAAAAAAA'))).to.equal(undefined)
    expect(tokens.find(token.slice(0, -1))).to.equal(undefined)
    expect(tokens.find('')).to.equal(undefined)
  })

  it('switches tracing on with the first, and off after the last', async () => {
    const { tokens, alive, pass } = await open()
    await tokens.issue(grant, 60)
    await tokens.issue(grant, 120)
    expect([alive, tokens.isAlive]).to.deep.equal([[true], true])
    pass(60_000)
    expect(tokens.isAlive).to.equal(true)
    pass(60_000)
    expect([alive, tokens.isAlive]).to.deep.equal([[true, false], false])
  })
})
