/** Sessions with many standing subscriptions and registrations, whose realm takes the right to them away, and gives it back. */
import { RouterPeer } from '#test/contract/router/peer.ts'
import { send } from '#test/support/http-request.ts'
import type { Attack, Target } from './attack.ts'
import { pause } from './sockets.ts'

const uri = 'com.example.attack.rights'
const sessions = 20
/** Subscriptions of each session, and as many registrations. */
const standing = 250
/** How long what is not allowed any more may go on; milliseconds. */
const grace = 2_000

const all = ['wamp.subscribe', 'wamp.register', 'wamp.publish', 'wamp.call']
const speaking = ['wamp.publish', 'wamp.call']

/** @param allowed what anonymous sessions may do */
async function loadRealm({ adminUrl }: Target, allowed: readonly string[]): Promise<void> {
  const resources = [{ uri: 'com.', match: 'prefix' }]
  const document = {
    ...{ uri, authmethods: ['anonymous'] },
    grants: [{ roles: ['anonymous'], permissions: allowed, resources }],
  }
  const answer = await send(adminUrl, '/realms', { method: 'POST', body: document })
  if (answer.status >= 300) throw new Error(`the realm: ${answer.status} ${answer.text}`)
}

interface Standing {
  readonly peer: RouterPeer
  /** Events and calls that have arrived. */
  arrived: number
  /** What the router has ended. */
  ended: number
}

const roles = {
  subscriber: { features: { subscription_revocation: true } },
  callee: { features: { registration_revocation: true } },
  ...{ publisher: {}, caller: {} },
}

async function open({ routerUrl }: Target, index: number): Promise<Standing> {
  const peer = await RouterPeer.join({ url: routerUrl, realm: uri }, undefined, { roles })
  const opened: Standing = { peer, arrived: 0, ended: 0 }
  for (let at = 0; at < standing; at++) {
    // all sessions have the first topic
    await peer.subscribe(at === 0 ? 'com.example.all' : `com.example.t${index}.${at}`)
    await peer.register(`com.example.p${index}.${at}`)
  }
  peer.webSocket.on('message', (data) => {
    const [code, request] = JSON.parse(String(data))
    if (code === 36 || code === 68) opened.arrived += 1
    if ((code === 35 || code === 67) && request === 0) opened.ended += 1
  })
  return opened
}

export const rightsTaken: Attack = {
  name: 'rights-taken',
  about: `${sessions} sessions with ${2 * standing} subscriptions and registrations each, whose realm takes their rights away, again and again`,
  async run(target, signal, report) {
    while (!signal.aborted) {
      await loadRealm(target, all)
      const opened = await Promise.all(
        Array.from({ length: sessions }, (_, index) => open(target, index)),
      )
      const speaker = await RouterPeer.join({ url: target.routerUrl, realm: uri })
      let request = 0
      const speak = () => {
        speaker.send(16, ++request, {}, 'com.example.all', ['event'])
        speaker.send(48, ++request, {}, `com.example.p0.0`, ['call'])
      }
      const arrived = () => opened.reduce((sum, one) => sum + one.arrived, 0)
      speak()
      for (let tries = 0; arrived() < sessions + 1 && tries < 100; tries++) await pause(20, signal)
      if (arrived() < sessions + 1 && !signal.aborted) report('no events and calls arrive')
      await loadRealm(target, speaking)
      await pause(grace, signal)
      if (!signal.aborted) {
        const before = arrived()
        for (let round = 0; round < 20; round++) {
          speak()
          await pause(10, signal)
        }
        if (arrived() > before) report(`${arrived() - before} events and calls still arrived`)
        const ended = opened.reduce((sum, one) => sum + one.ended, 0)
        const expected = sessions * standing * 2
        if (ended !== expected)
          report(`${ended} subscriptions and registrations were ended of ${expected}`)
      }
      for (const { peer } of opened) peer.cut()
      speaker.cut()
    }
  },
}
