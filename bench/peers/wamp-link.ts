/** The least of a WAMP client: one WebSocket, msgpack, and the frames of one turn of the event loop in one write. */
import { decode, encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'

/** A WAMP message: its type, then its members. */
export type Message = readonly [type: number, ...members: readonly unknown[]]

/** A joined session. */
export interface Link {
  send(message: Message): void
  /** Takes every message from now on. */
  listen(take: (message: Message) => void): void
  close(): void
}

const hello = 1
const welcome = 2

/** Joins a realm anonymously. @throws Error when the router does not let it */
export async function openLink(url: string, realm: string): Promise<Link> {
  const webSocket = new WebSocket(url, ['wamp.2.msgpack'], { perMessageDeflate: false })
  webSocket.binaryType = 'arraybuffer'
  await new Promise((resolve, reject) => webSocket.once('open', resolve).once('error', reject))
  // ws has no public way to its socket
  const { _socket: socket } = webSocket as unknown as { _socket: import('node:net').Socket }
  let isCorked = false
  const send = (message: Message) => {
    if (!isCorked) {
      isCorked = true
      socket.cork()
      setImmediate(() => {
        isCorked = false
        socket.uncork()
      })
    }
    webSocket.send(encode(message))
  }
  let take: (message: Message) => void = () => undefined
  webSocket.on('message', (data: ArrayBuffer) => take(decode(new Uint8Array(data)) as Message))
  webSocket.on('close', () => process.exit(1))
  const answered = new Promise<Message>((resolve) => {
    take = resolve
  })
  send([
    hello,
    realm,
    { roles: { caller: {}, callee: {}, publisher: {} }, authmethods: ['anonymous'] },
  ])
  const answer = await answered
  if (answer[0] !== welcome) throw new Error(`${url} ${realm}: ${JSON.stringify(answer)}`)
  return {
    send,
    listen: (next) => {
      take = next
    },
    close: () => {
      webSocket.removeAllListeners('close')
      webSocket.terminate()
    },
  }
}
