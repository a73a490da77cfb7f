/** `compress`: what a document may say, tags, the bounds of what compresses, OpenAPI and explain. */
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { brotliDecompressSync } from 'node:zlib'
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import type { KeptCodings } from '#component/gateway/exchange.ts'
import { Quota } from '#component/limits/quota.ts'
import { CodedContent } from '#component/policies/cache/coded-content.ts'
import { type Kept, ResponseCache } from '#component/policies/cache/response-cache.ts'
import { codingNames, codings, levels } from '#component/policies/compress/codings.ts'
import { Compressor, maxInLoop } from '#component/policies/compress/compressor.ts'
import {
  codedTag,
  isOfCompressed,
  knownTag,
  plainTags,
} from '#component/policies/compress/entity-tags.ts'
import { inForce } from '#component/policies/kinds.ts'
import { documentOf, fixed, issuesOf } from '#test/unit/gateway/fake-exchange.ts'

const pathWith = (compress: unknown) => documentOf({ '/x': { compress, get: { ...fixed('ok') } } })

/** The plan of GET as a document writes it; undefined: none. */
function shown(document: unknown, policies: Readonly<Record<string, unknown>> = {}): unknown {
  const { api, issues } = compileDocument(document, { callTimeout: 1000, policies })
  expect(issues).to.deep.equal([])
  const route = api?.entries[0]?.routes.get
  const [found] = route?.kind === undefined ? inForce(route?.inherited.policies) : []
  return found?.[0].show(found[1])
}

describe('compress', () => {
  const unfit: readonly (readonly [compress: unknown, path: string])[] = [
    ['gzip', ''],
    [1, ''],
    [['gzip'], ''],
    [{ coding: ['gzip'] }, '/coding'],
    [{ codings: ['deflate'] }, '/codings/0'],
    [{ codings: [] }, '/codings'],
    [{ codings: 'gzip' }, '/codings'],
    [{ min_bytes: 99 }, '/min_bytes'],
    [{ min_bytes: 1_048_577 }, '/min_bytes'],
    [{ types: ['json'] }, '/types/0'],
    [{ types: ['*/*'] }, '/types/0'],
    [{ level: 9 }, '/level'],
  ]
  for (const [compress, path] of unfit) {
    it(`may not be ${JSON.stringify(compress)}`, () => {
      expect(issuesOf(pathWith(compress)).map((issue) => issue.path)).to.deep.equal([
        `/versions/1.0/paths/~1x/compress${path}`,
      ])
    })
  }

  it('may not depend on the request', () => {
    const [issue] = issuesOf(pathWith('{{request.headers |> size |> equal(1)}}'))
    expect(issue?.message).to.match(/must be known when the specification is loaded/)
  })

  it('holds as the configuration says where a document sets none', () => {
    const map = { codings: ['gzip'], min_bytes: 100, types: ['text/*', '+json'], level: 'small' }
    const document = documentOf({ '/x': { get: fixed('ok') } })
    expect(shown(document)).to.equal(undefined)
    expect(shown(document, { compress: false })).to.equal(undefined)
    expect(shown(document, { compress: true })).to.include({ min_bytes: 1024, level: 'fast' })
    expect(shown(pathWith(map), { compress: true })).to.deep.equal(map)
    for (const none of [false, null]) {
      expect(shown(pathWith(none), { compress: true })).to.equal(undefined)
    }
  })
})

describe('the entity tag of a compressed answer', () => {
  const tags: readonly (readonly [tag: string, coding: 'br' | undefined, told: string])[] = [
    ['"v"', 'br', '"v--br"'],
    ['"v"', undefined, '"v"'],
    ['""', 'br', '"--br"'],
    ['W/"v"', 'br', 'W/"v"'],
    ['"v--gzip"', 'br', '"v--gzip--br"'],
    ['"v--gzip"', undefined, '"v--gzip--identity"'],
    ['"v--identity"', undefined, '"v--identity--identity"'],
    ['W/"v--br"', undefined, 'W/"v--br--identity"'],
    ['v', 'br', 'v'],
  ]
  for (const [tag, coding, told] of tags) {
    it(`${tag} in ${coding ?? 'no coding'} is ${told}, and ${tag} again for what is behind`, () => {
      expect(codedTag(tag, coding)).to.equal(told)
      expect(plainTags(told)).to.equal(tag)
    })
  }

  it('is taken off each tag of a list, once', () => {
    const list = 'W/"a--br", "b--gzip--zstd" ,"c", "d--brx", "e--identity"\t,*'
    expect(plainTags(list)).to.equal('W/"a", "b--gzip" ,"c", "d--brx", "e"\t,*')
  })

  it('is told by 304 as the client has sent it, in the coding that it would get', () => {
    expect(knownTag('"v"', '"x", "v--gzip", "v--br"', 'br')).to.equal('"v--br"')
    expect(knownTag('"v"', '"x", "v--gzip", "v"', 'br')).to.equal('"v--gzip"')
    expect(knownTag('W/"v"', 'W/"v"', 'br')).to.equal('W/"v"')
    expect(knownTag('"v"', 'W/"v--br"', 'br')).to.equal('"v--br"')
    expect(knownTag('"v"', '"x--br", *', 'br')).to.equal(undefined)
  })

  it('is one of a whole answer for If-Range', () => {
    const fields = ['"v--br"', ' "v--gzip" ', '"v"', '"v--identity"', 'W/"v--br"']
    expect(fields.map(isOfCompressed)).to.deep.equal([true, true, false, false, false])
  })
})

describe('what compresses', () => {
  const long = 'abcdefgh'.repeat(maxInLoop.fast)
  const unbounded = () => new Compressor(new Quota(Number.MAX_SAFE_INTEGER))

  it('does short bodies at once, two long ones at a time while 32 wait, and no more', async () => {
    const compressor = unbounded()
    const whole = () => compressor.whole(long, 'br', 'fast', undefined)
    for (const level of levels) {
      const short = 'a'.repeat(maxInLoop[level])
      expect(compressor.whole(short, 'br', level, undefined)).to.be.instanceOf(Buffer)
      expect(compressor.whole(`${short}a`, 'br', level, undefined)).to.be.instanceOf(Promise)
    }
    await compressor.whole(long, 'br', 'small', undefined)
    const all = Array.from({ length: 36 }, whole)
    expect(all.filter((one) => one === undefined).length).to.equal(2)
    const done = await Promise.all(all)
    for (const bytes of done) {
      if (bytes) expect(brotliDecompressSync(bytes).toString()).to.equal(long)
    }
    expect(await whole()).to.be.instanceOf(Buffer)
  })

  for (const coding of codingNames) {
    it(`makes ${coding} of any size in the loop, and what it makes of a long body has memory of its own length`, () => {
      const sizes = [
        0, 1, 64, 1024, 16_384, 32_767, 32_768, 40_000, 65_535, 65_536, 65_537, 131_072,
      ]
      const random = Buffer.alloc(131_072)
      // what does not shrink fits no piece of its own size
      for (let at = 0, n = 1; at < random.length; at += 1) {
        n = (n * 48_271) % 2_147_483_647
        random[at] = n >>> 8
      }
      const bodies = [Buffer.alloc(131_072, '{"id":1,"name":"item"},'), random]
      const made = bodies.flatMap((body) =>
        [...sizes, ...sizes].map((size) => {
          const plain = body.subarray(0, size)
          return { plain, coded: codings[coding].now(plain, 'fast') }
        }),
      )
      for (const { plain, coded } of made) {
        // none has lost its memory to one that was made later
        expect(Buffer.from(codings[coding].decode(coded)).equals(plain)).to.equal(true)
      }
      const long = made.filter(({ plain, coded }) => plain.length > 32_767 && coded.length < 9000)
      expect(long.length).to.equal(12)
      for (const { coded } of long) expect(coded.buffer.byteLength).to.equal(coded.length)
    })
  }

  it('makes a coding of what is kept once for all that ask meanwhile', async () => {
    const kept = new Map<string, Uint8Array>()
    const own: KeptCodings = {
      get: (coding) => kept.get(coding),
      keep: (coding, bytes) => kept.set(coding, bytes),
    }
    const compressor = unbounded()
    const whole = () => compressor.whole(long, 'br', 'fast', own)
    const done = await Promise.all(Array.from({ length: 40 }, whole))
    expect(new Set(done).size).to.equal(1)
    expect(whole()).to.equal(kept.get('br'))
  })

  const read = (stream: Readable) =>
    pipeline(stream, new Writable({ write: (_chunk, _encoding, done) => done() }))

  it('takes from the budget for each stream until that is over, and none beyond it', async () => {
    const budget = new Quota(1_000_000)
    const compressor = new Compressor(budget)
    const body = () => Readable.from([Buffer.from(long)])
    const open = () => compressor.stream(body(), 'br', 'fast', () => undefined)
    const streams = [open(), open(), open(), open()]
    expect(streams.map((stream) => stream !== undefined)).to.deep.equal([true, true, true, false])
    expect([compressor.streams, budget.used > 900_000]).to.deep.equal([3, true])
    await Promise.all(streams.flatMap((stream) => (stream ? [read(stream)] : [])))
    expect([compressor.streams, budget.used]).to.deep.equal([0, 0])
  })

  for (const coding of codingNames) {
    it(`makes one ${coding} body of pieces, wherever they pause and however they end`, async () => {
      const compressor = unbounded()
      const turn = () => new Promise((resolve) => setImmediate(resolve))
      const shapes = [[1], [0, 1], [1, 0], [2, 0, 0, 2, 1], [0, 0, 0, 0], [3, 3, 3]]
      for (const pauses of shapes) {
        const pieces = pauses.map((_, index) => `${index} ${long}`)
        const body = new Readable({ read() {} })
        const stream = compressor.stream(body, coding, 'fast', () => undefined)
        const sent = (async () => {
          for (const [index, piece] of pieces.entries()) {
            body.push(piece)
            for (let turns = pauses[index] ?? 0; turns > 0; turns -= 1) await turn()
          }
          body.push(null)
        })()
        const all: Buffer[] = []
        for await (const chunk of stream as Readable) all.push(chunk as Buffer)
        await sent
        const bytes = Buffer.concat(all)
        expect(codings[coding].decode(bytes).toString()).to.equal(pieces.join(''))
        // zstd may have several frames (RFC 8878 §3.1), of which some clients read the first
        if (coding === 'zstd') expect(bytes.lastIndexOf('28b52ffd', 'hex')).to.equal(0)
      }
    })
  }

  it('ends the body where its reader goes away, and breaks off where the body does', async () => {
    const compressor = unbounded()
    const endless = new Readable({ read() {} })
    const stream = compressor.stream(endless, 'br', 'fast', () => undefined)
    stream?.destroy()
    await new Promise((resolve) => endless.once('close', resolve))
    const broken = new Readable({ read() {} })
    const other = compressor.stream(broken, 'gzip', 'fast', () => undefined) as Readable
    const failure = new Error('broken')
    broken.destroy(failure)
    expect(await read(other).catch((error: unknown) => error)).to.equal(failure)
    expect(compressor.streams).to.equal(0)
  })
})

describe('the codings of a kept answer', () => {
  const bytes = (length: number) => new Uint8Array(length)
  const keep = (cache: ResponseCache, base: string): CodedContent => {
    const codings = new CodedContent()
    const kept: Kept = {
      ...{ status: 200, headers: {}, marked: [], content: 'a'.repeat(1000), codings, varied: [] },
      ...{ at: 0, ageMs: 0, freshUntil: 1, mayBeStale: true, isForAll: false },
    }
    const fill = cache.begin([base])
    cache.keep(base, kept, () => undefined, fill)
    cache.end(fill)
    return codings
  }

  it('count in max_bytes, and drop what was used least recently', () => {
    const cache = new ResponseCache({ maxBytes: 5_000, maxEntryBytes: 2_000 })
    const [one, two] = [keep(cache, '1'), keep(cache, '2')]
    expect([cache.find('1'), cache.find('2')]).not.to.include(undefined)
    two.keep('br', bytes(1_500))
    expect(two.get('br')?.length).to.equal(1_500)
    expect(cache.find('1')).to.equal(undefined)
    one.keep('br', bytes(10))
    expect(one.get('br')).to.equal(undefined)
    two.keep('gzip', bytes(5_000))
    expect([two.get('gzip'), two.bytes]).to.deep.equal([undefined, 1_500])
    expect(cache.purge('2')).to.equal(1)
    two.keep('zstd', bytes(10))
    expect(two.get('zstd')).to.equal(undefined)
  })

  it('are not kept of an answer that is not', () => {
    const codings = new CodedContent()
    codings.keep('br', bytes(10))
    expect([codings.get('br'), codings.bytes]).to.deep.equal([undefined, 0])
  })
})
