/** Requests as bytes on sockets of their own, and answers as they come back. */
import { expect } from 'chai'
import { type Answer, post, RawClient } from '#test/integration/http/fixture.ts'
import type { BadInput } from './cases.ts'

export { type Answer, post, RawClient }

/** The port in the base address of a listener. */
export const portOf = (url: string): number => Number(new URL(url).port)

/** A GET as bytes. */
export const get = (target: string, ...lines: readonly string[]): string =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`

/** Sends bytes on a connection of its own and reads the first answer; status 0: there was none. */
export async function ask(port: number, bytes: string | Uint8Array): Promise<Answer> {
  const client = new RawClient(port)
  client.send(bytes)
  try {
    return await client.read()
  } finally {
    client.close()
  }
}

/** As {@link ask}, and waits until the gateway has closed the connection. */
export async function askUntilClosed(port: number, bytes: string | Uint8Array): Promise<Answer> {
  const client = new RawClient(port)
  client.send(bytes)
  const answer = await client.read()
  await untilEnded(client)
  return answer
}

/** Reads on until the other side has ended the connection; mocha's timeout is the deadline. */
export async function untilEnded({ socket }: RawClient): Promise<void> {
  socket.resume()
  while (!socket.readableEnded && !socket.destroyed) {
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
  }
  socket.destroy()
}

/** An answer of the gateway's own, decoded. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly description: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/** The body of an answer, decoded as UTF-8 JSON. */
export const jsonOf = (answer: Answer): unknown =>
  JSON.parse(Buffer.from(answer.body, 'latin1').toString())

/**
 * The answer has the status and the code that the row expects. Where the row tells no code, the body is the parser's
 * and free.
 * @returns the error body
 */
export function expectRefusal(answer: Answer, { expected }: BadInput): ErrorBody {
  expect(answer.status, answer.body.slice(0, 500)).to.be.oneOf([expected.status].flat())
  const body = (answer.body === '' ? {} : jsonOf(answer)) as ErrorBody
  if (typeof expected.code === 'string') {
    expect(body).to.have.property('code', expected.code)
    expect(body.message, 'message').to.be.a('string').and.not.equal('')
    expect(body.description, 'description').to.be.a('string')
  }
  return body
}
