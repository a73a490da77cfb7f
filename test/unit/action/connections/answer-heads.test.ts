/** What reaches undici of the bytes that an upstream sends. */
import { expect } from 'chai'
import { AnswerHeads } from '#component/action/connections/answer-heads.ts'

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'
const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'
const processing = 'HTTP/1.1 102 Processing\r\n\r\n'
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const long = `HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`

/** What is passed of the chunks, and of the end behind them. */
function passed(chunks: readonly string[], heads = new AnswerHeads()): string {
  let text = ''
  const pass = (bytes: Buffer | null): boolean => {
    text += bytes === null ? '[end]' : bytes.toString('latin1')
    return true
  }
  for (const chunk of chunks) heads.receive(Buffer.from(chunk, 'latin1'), pass)
  heads.receive(null, pass)
  return text
}

describe('the heads of answers', () => {
  for (const [title, bytes, expected] of [
    ['an answer', answer, answer],
    ['100 (Continue)', goOn + answer, answer],
    ['100 with fields', `HTTP/1.1 100 Go\r\nX: y\r\nZ:\r\n\r\n${answer}`, answer],
    ['100 without a reason', `HTTP/1.1 100\r\n\r\n${answer}`, answer],
    ['100 whose lines end without CR', `HTTP/1.1 100 Continue\nX: y\n\n${answer}`, answer],
    ['100 twice', goOn + goOn + answer, answer],
    ['102 and 103', processing + hint + answer, processing + hint + answer],
    [
      '100 among other 1xx',
      goOn + processing + goOn + hint + goOn + answer,
      processing + hint + answer,
    ],
    ['100 in a body', answer + goOn, answer + goOn],
    ['100 behind 101', `HTTP/1.1 101 S\r\n\r\n${goOn}`, 'HTTP/1.1 101 S\r\n\r\n'],
    [
      '100 of HTTP/1.0',
      `HTTP/1.0 100 Continue\r\n\r\n${answer}`,
      `HTTP/1.0 100 Continue\r\n\r\n${answer}`,
    ],
    ['100 of a head beyond the limit', long + answer, long + answer],
    ['100 that ends in its head', 'HTTP/1.1 100 Cont', 'HTTP/1.1 100 Cont'],
    ['a part of a status line', 'HTTP/1', 'HTTP/1'],
    [
      'an interim status of four digits',
      `HTTP/1.1 1000 X\r\n\r\n${answer}`,
      `HTTP/1.1 1000 X\r\n\r\n${answer}`,
    ],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['a line break before the answer', `\r\n${goOn}`, `\r\n${goOn}`],
    ['nothing', '', ''],
  ] as const) {
    it(`${title}: in one chunk and in chunks of 1, 2, 3 and 7 bytes`, () => {
      const seen = [Math.max(1, bytes.length), 1, 2, 3, 7].map((size) => {
        const chunks = bytes.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        return passed(chunks)
      })
      expect(seen).to.deep.equal(Array(5).fill(`${expected}[end]`))
    })
  }

  it('are looked for again with the next request', () => {
    const heads = new AnswerHeads()
    const seen: string[] = []
    const pass = (bytes: Buffer | null): boolean => {
      seen.push(String(bytes))
      return true
    }
    for (const bytes of [goOn + answer, goOn + answer]) {
      heads.next()
      heads.receive(Buffer.from(bytes), pass)
    }
    expect(seen).to.deep.equal([answer, answer])
  })

  it('tell of a connection whether it has answered before, and whether anything has come since', () => {
    const heads = new AnswerHeads()
    const told = (): unknown => [heads.isReused, heads.hasBytes]
    const pass = (): boolean => true
    heads.next()
    expect(told()).to.deep.equal([false, false])
    heads.receive(Buffer.from(goOn), pass)
    expect(told()).to.deep.equal([false, true])
    heads.next()
    expect(told()).to.deep.equal([false, false])
    heads.receive(Buffer.from(answer), pass)
    heads.next()
    expect(told()).to.deep.equal([true, false])
    heads.receive(Buffer.from('H'), pass)
    expect(told()).to.deep.equal([true, true])
  })

  it('tell whether more bytes are wanted', () => {
    const heads = new AnswerHeads()
    const full = (): boolean => false
    expect(heads.receive(Buffer.from(goOn), full)).to.equal(true)
    expect(heads.receive(Buffer.from(hint + goOn), full)).to.equal(false)
    expect(heads.receive(Buffer.from(answer), full)).to.equal(false)
  })
})
