/** Bodies that cannot be read or must not be: refused before the procedure is called; what is taken arrives exact. */
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { type Callee, openCallee } from './callees.ts'
import { type BadInput, describeArea } from './cases.ts'
import { calling, documentOf } from './documents.ts'
import { costOf } from './memory.ts'
import { type Answer, ask, expectRefusal, post } from './sockets.ts'

const msgpack = 'application/msgpack'
const accepts = ['application/json', msgpack, 'application/x-www-form-urlencoded']

const fromHex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** What the rows write in words. */
const written: Readonly<Record<number, () => Buffer>> = {
  68: () => Buffer.from(`[${'[],'.repeat(8_333_332)}[]]`),
  72: () => Buffer.from('{"a":"\xff"}', 'latin1'),
  76: () => Buffer.from(Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join('&')),
  81: () => Buffer.from('{}'),
  83: () => gzipSync(Buffer.alloc(300_000_000)),
}

/** The bytes of a row's body. */
function bytesOf(index: number, { input }: BadInput): Buffer {
  const made = written[index]?.()
  if (made) return made
  const body = String(input.body)
  return input.content_type === msgpack ? fromHex(body) : Buffer.from(body)
}

/** Headers that a row has beside its content type. */
const headers: Readonly<Record<number, readonly string[]>> = {
  81: ['Accept: text/html'],
  83: ['Content-Encoding: gzip'],
}

describeArea(
  'body',
  {},
  (area) => {
    let callee: Callee

    before(async () => {
      callee = await openCallee(area.gateway.routerUrl)
      await callee.register('com.t.echo', ({ args: [value] }) => value)
      const echo = calling('com.t.echo', '{{request.body}}')
      await area.load(
        documentOf('com.t.a', {
          '/x': { post: echo, accepts },
        }),
      )
    })
    after(() => callee?.close())

    const requestOf = (index: number, entry: BadInput): Buffer =>
      post('/v1/x', entry.input.content_type ?? '', bytesOf(index, entry), headers[index])

    const send = (index: number, entry: BadInput): Promise<Answer> =>
      ask(area.port, requestOf(index, entry))

    /** The bytes are refused as the row says, and nothing has been called. */
    async function isRefused(entry: BadInput, bytes: Buffer): Promise<string> {
      const before = callee.invocations.length
      const { message } = expectRefusal(await ask(area.port, bytes), entry)
      expect(callee.invocations.length, 'calls').to.equal(before)
      return message
    }

    for (const index of [69, 70, 71, 72, 73, 74, 75, 76, 77, 79, 81, 82]) {
      area.test(index, async (entry) => {
        await isRefused(entry, requestOf(index, entry))
      })
    }

    area.test(68, async (entry) => {
      const bytes = requestOf(68, entry)
      let message = ''
      const { peak, stall } = await costOf(async () => {
        message = await isRefused(entry, bytes)
      })
      // as long as body_max_bytes allows, so that the number of values decides
      expect(message).to.include('200000')
      expect(peak.heap, 'growth of the heap').to.be.below(100_000_000)
      expect(stall, 'milliseconds of CPU time without a turn for others').to.be.below(1000)
    })

    area.test(83, async (entry) => {
      const bytes = requestOf(83, entry)
      const { peak } = await costOf(() => isRefused(entry, bytes))
      expect(peak.all, 'growth of memory').to.be.below(100_000_000)
    })

    area.test(
      78,
      async (entry) => {
        const answer = await send(78, entry)
        expect(answer).to.include({ status: 200, body: entry.input.body })
        expect(callee.invocations.at(-1)?.args).to.deep.equal([{ id: 9007199254740993n }])
      },
      'exact to the callee and back',
    )

    area.test(
      80,
      async (entry) => {
        const max = 2n ** 64n - 1n
        const bytes = bytesOf(80, entry)
        const asJson = await ask(area.port, post('/v1/x', msgpack, bytes))
        expect(asJson).to.include({ status: 200, body: String(max) })
        expect(callee.invocations.at(-1)?.args).to.deep.equal([max])
        const same = await ask(area.port, post('/v1/x', msgpack, bytes, [`Accept: ${msgpack}`]))
        expect(Buffer.from(same.body, 'latin1').toString('hex')).to.equal(bytes.toString('hex'))
      },
      'exact to the callee and back, as JSON and as msgpack',
    )

    it('a good body of each type is called with', async () => {
      const good: readonly (readonly [string, Buffer])[] = [
        ['application/json', Buffer.from('{"a":"1"}')],
        [msgpack, fromHex('81a161a131')],
        ['application/x-www-form-urlencoded', Buffer.from('a=1')],
      ]
      for (const [type, bytes] of good) {
        expect(await ask(area.port, post('/v1/x', type, bytes))).to.include({ body: '{"a":"1"}' })
        expect(callee.invocations.at(-1)?.args).to.deep.equal([{ a: '1' }])
      }
    })
  },
  { notProblems: [81] },
)
