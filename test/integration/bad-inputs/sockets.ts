/** Requests as bytes on sockets of their own, and answers as they come back. */
import { expect } from 'chai'
import { type Answer, post, RawClient } from '#test/integration/http/fixture.ts'
import { problemFaults } from '#test/support/problem-schema.ts'
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

/** The bad inputs that were refused by problems since the suite began, and those that were not. */
export const refused = { asProblem: new Set<BadInput>(), otherwise: new Set<BadInput>() }

/** A problem, read as the same error in the gateway's own form. */
function readProblem(body: unknown, status: number): ErrorBody {
  expect(problemFaults(body)).to.deep.equal([])
  const { title, detail, code, errors, ...problem } = body as Readonly<Record<string, string>> & {
    readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
  }
  expect(problem).to.include({ status })
  expect(problem.instance).to.match(/^urn:uuid:/)
  const own = { code: String(code), message: String(detail), description: String(title) }
  if (!errors) return own
  const details = errors.map(({ pointer, detail: message }) => {
    return { path: decodeURIComponent(pointer.slice(1)), message }
  })
  return { ...own, details }
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
export function expectRefusal(answer: Answer, entry: BadInput): ErrorBody {
  const { expected } = entry
  expect(answer.status, answer.body.slice(0, 500)).to.be.oneOf([expected.status].flat())
  const isProblem = answer.headers['content-type'] === 'application/problem+json'
  refused[isProblem ? 'asProblem' : 'otherwise'].add(entry)
  const read = answer.body === '' ? {} : jsonOf(answer)
  const body = isProblem ? readProblem(read, answer.status) : (read as ErrorBody)
  if (typeof expected.code === 'string') {
    expect(body).to.have.property('code', expected.code)
    expect(body.message, 'message').to.be.a('string').and.not.equal('')
    expect(body.description, 'description').to.be.a('string')
  }
  return body
}
