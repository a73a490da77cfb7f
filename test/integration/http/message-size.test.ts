/** Messages that a callee would end its session over: `wamp.max_message_bytes` refuses them before they are sent. */
import { expect } from 'chai'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { Session } from '#component/wamp/session.ts'
import { basics } from '#test/contract/session/support.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const procedure = 'com.example.photos.size'
const action = { type: 'wamp_call', procedure, args: ['{{request.body}}'] }
const response = { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} }

describe('a body in a message that is larger than wamp.max_message_bytes', () => {
  const sizes: number[] = []
  let gateway: TestGateway
  let callee: Session

  before(async () => {
    gateway = await startGateway({ 'wamp.max_message_bytes': '100000' })
    const own = componentSession({ ...basics, url: gateway.routerUrl })
    expect(await own.joined(10_000)).to.equal(true)
    await own.register(procedure, ({ args: [photo] }) => {
      const { length } = photo as Uint8Array
      sizes.push(length)
      return { args: [length], kwargs: {} }
    })
    callee = own
    const { status, body } = await gateway.load({
      ...{ id: 'photos', host: '_', realm_uri: 'com.example.test' },
      versions: {
        1: {
          base_path: '/photos',
          paths: { '/new': { post: { accepts: ['*/*'], action, response } } },
        },
      },
    })
    expect(status, JSON.stringify(body)).to.equal(201)
  })
  after(async () => {
    await callee.leave()
    await gateway.stop()
  })

  const send = async (bytes: number) => {
    const answer = await fetch(`${gateway.url}/photos/new`, {
      method: 'POST',
      body: Buffer.alloc(bytes),
    })
    return { status: answer.status, body: await answer.json() }
  }

  it('is 413, and the callee sees nothing of it and serves the next one', async () => {
    const tooLarge = await send(150_000)
    expect(tooLarge.status).to.equal(413)
    expect(tooLarge.body).to.have.property('error_uri', 'wamp.error.payload_size_exceeded')
    expect(await send(90_000)).to.deep.equal({ status: 200, body: 90_000 })
    expect(sizes).to.deep.equal([90_000])
  })
})
