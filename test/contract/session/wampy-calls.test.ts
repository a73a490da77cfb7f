/** What the gateway relies on inside wampy: a new version that changes it fails here. */
import { expect } from 'chai'
import { Wampy } from 'wampy'
import { callsOf } from '#component/wamp/wampy-session.ts'

type Options = ConstructorParameters<typeof Wampy>[1]

/** A wampy that has joined over a socket of the test, and what it has sent. */
async function joined() {
  const sent: (readonly unknown[])[] = []
  const socket = {
    ...{ readyState: 0, protocol: 'wamp.2.json' },
    send: (message: readonly unknown[]) => sent.push(message),
    close: () => undefined,
    onopen: () => undefined,
    onmessage: async (_event: { data: readonly unknown[] }) => undefined,
  }
  const asItIs = (message: unknown) => message
  const wampy = new Wampy('ws://router', {
    realm: 'com.example',
    ws: function open() {
      return socket
    } as unknown as NonNullable<Options['ws']>,
    serializer: {
      ...{ protocol: 'json', isBinary: false, encode: asItIs, decode: asItIs },
    } as unknown as NonNullable<Options['serializer']>,
    autoReconnect: false,
  })
  const connected = wampy.connect()
  socket.readyState = 1
  socket.onopen()
  await socket.onmessage({ data: [2, 1, { roles: { broker: {}, dealer: {} } }] })
  await connected
  return { wampy, sent, receive: (data: readonly unknown[]) => socket.onmessage({ data }) }
}

describe('wampy', () => {
  it('holds the calls under way in _calls by request id, until they are answered', async () => {
    const { receive, sent, wampy } = await joined()
    const first = wampy.call('com.example.a')
    const id = Number(sent.at(-1)?.[1])
    expect(sent.at(-1)).to.include.members([48, 'com.example.a'])
    expect(Object.keys(callsOf(wampy) ?? {})).to.deep.equal([String(id)])
    await receive([50, id, {}])
    await first
    expect(callsOf(wampy)).to.deep.equal({})
  })

  it('forgets a call that is deleted from _calls, and goes on', async () => {
    const { receive, sent, wampy } = await joined()
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    wampy.call('com.example.a').then(settle, settle)
    delete callsOf(wampy)?.[Number(sent.at(-1)?.[1])]
    const next = wampy.call('com.example.b')
    await receive([50, sent.at(-1)?.[1], {}, [7]])
    expect((await next).argsList).to.deep.equal([7])
    expect({ isSettled, calls: callsOf(wampy) }).to.deep.equal({ isSettled: false, calls: {} })
  })
})
