/** Bodies of multipart/form-data: what clients send, what is refused, and that the borders of slices change nothing. */
import { expect } from 'chai'
import fc from 'fast-check'
import { ServiceError } from '#component/errors.ts'
import type { MultipartLimits } from '#component/request.ts'
import { defaultValues } from '#component/spec/defaults.ts'
import { readMultipart } from '#http/body/multipart.ts'
import { MultipartReader, readBoundary } from '#http/body/multipart-reader.ts'
import type { PartHead } from '#http/body/part-head.ts'

const type = 'multipart/form-data; boundary=b'
const badRequest = 'service.error.bad_request'
const tooLarge = 'service.error.payload_too_large'

/** A part with a disposition and further fields. */
const part = (disposition: string, content: string, ...fields: string[]): string =>
  [`Content-Disposition: form-data${disposition}`, ...fields, '', content].join('\r\n')
/** A body of parts, written as latin1: a character is a byte. */
const bodyOf = (...parts: string[]): Buffer =>
  Buffer.from(`${parts.map((each) => `--b\r\n${each}\r\n`).join('')}--b--\r\n`, 'latin1')
const read = (body: Buffer, limits: Partial<MultipartLimits> = {}, contentType = type) =>
  readMultipart(contentType, body, { ...defaultValues.multipart, ...limits })

describe('a multipart body', () => {
  it('has fields, of which the last of a name counts, and files', async () => {
    const content = await read(
      bodyOf(
        part('; name="title"', 'One'),
        part('; name="title"', 'Two'),
        part('; name="cover"; filename="a.png"', '\x89PNG\r\n--\0', 'Content-Type: image/png'),
        part('; name="cover"; filename="b.bin"', ''),
      ),
    )
    const { body, body_length, lists, files } = content
    expect(body).to.deep.equal({ title: 'Two' })
    expect(body_length).to.equal(303)
    expect(lists?.()).to.deep.equal({ title: ['One', 'Two'] })
    const png = {
      ...{ filename: 'a.png', content_type: 'image/png', size: 9 },
      content: new Uint8Array(Buffer.from('\x89PNG\r\n--\0', 'latin1')),
    }
    const empty = {
      ...{ filename: 'b.bin', content_type: 'application/octet-stream', size: 0 },
      content: new Uint8Array(0),
    }
    expect(files?.lists).to.deep.equal({ cover: [png, empty] })
    expect(files?.last).to.deep.equal({ cover: empty })
  })

  for (const [what, disposition, name, filename] of [
    ['a token', '; name=a', 'a', undefined],
    ['upper case', '; NAME="a"', 'a', undefined],
    ['no blank', ';name="a";filename="x"', 'a', 'x'],
    ['an empty name', '; name=""', '', undefined],
    ['what browsers escape', '; name="a%22%0D%0Ab"; filename="c%22.txt"', 'a"\r\nb', 'c".txt'],
    ['other escapes', '; name="a%20b"', 'a%20b', undefined],
    ['escapes outside of quotes', '; name=a%22b; filename=c%0Ad', 'a%22b', 'c%0Ad'],
    ['brackets', '; name="files[0]"; filename="x"', 'files[0]', 'x'],
    ['UTF-8', '; name="\xc3\xa4"; filename="\xc3\xb6.png"', 'ä', 'ö.png'],
    ['folders', '; name="a"; filename="../../etc/passwd"', 'a', 'passwd'],
    ['folders of Windows', '; name="a"; filename="C:\\Users\\x.png"', 'a', 'x.png'],
    ['a line break in a filename', '; name="a"; filename="x%0Ay"', 'a', 'xy'],
    ['an extended filename', '; name="a"; filename*=UTF-8\'\'%C3%B6.png', 'a', 'ö.png'],
    ['both filenames', '; name="a"; filename="x"; filename*=UTF-8\'\'y', 'a', 'x'],
    ['other parameters', '; name="a"; x="y"', 'a', undefined],
  ] as const) {
    it(`may name a part by ${what}`, async () => {
      const { body, files } = await read(bodyOf(part(disposition, 'v')))
      const found =
        filename === undefined
          ? { body: { [name]: 'v' }, filename: undefined }
          : { body: {}, filename: files?.last[name]?.filename }
      expect(found).to.deep.equal({ body: filename === undefined ? { [name]: 'v' } : {}, filename })
      expect(body).to.deep.equal(found.body)
    })
  }

  const fine = part('; name="a"', 'v')
  for (const [what, body, contentType] of [
    ['nothing', Buffer.from('x'), type],
    ['no end', Buffer.from(`--b\r\n${fine}\r\n`)],
    ['no end, but the delimiter', Buffer.from(`--b\r\n${fine}\r\n--b`)],
    ['half an end', Buffer.from(`--b\r\n${fine}\r\n--b-`)],
    ['a cut part', Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nv')],
    ['a cut head', Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n')],
    ['something before', Buffer.from(`x\r\n--b\r\n${fine}\r\n--b--`)],
    ['a line before', Buffer.from(`\r\n--b\r\n${fine}\r\n--b--`)],
    ['something behind', Buffer.from(`--b\r\n${fine}\r\n--b--\r\nx`)],
    ['a part behind its end', Buffer.from(`--b\r\n${fine}\r\n--b--\r\n--b\r\n${fine}\r\n--b--`)],
    ['a longer delimiter', Buffer.from(`--b\r\n${part('; name="a"', 'v\r\n--bc\r\nw')}\r\n--b--`)],
    ['padding behind a delimiter', Buffer.from(`--b \r\n${fine}\r\n--b--`)],
    ['line feeds alone', Buffer.from(`--b\n${fine.replaceAll('\r', '')}\n--b--\n`)],
    ['an empty part', bodyOf('', fine)],
    ['two delimiters', Buffer.from(`--b\r\n--b\r\n${fine}\r\n--b--`)],
    ['no disposition', bodyOf('Content-Type: text/plain\r\n\r\nv')],
    ['no head', bodyOf('\r\nv')],
    ['another disposition', bodyOf('Content-Disposition: attachment; name="a"\r\n\r\nv')],
    [
      'a nested body without a name',
      bodyOf(part('; filename="x"', 'v', 'Content-Type: multipart/mixed')),
    ],
    ['no name', bodyOf(part('', 'v'))],
    [
      'two dispositions',
      bodyOf(part('; name="a"', 'v', 'Content-Disposition: form-data; name="b"')),
    ],
    ['two names', bodyOf(part('; name="a"; name="b"', 'v'))],
    ['a blank before a semicolon', bodyOf(part(' ; name="a"', 'v'))],
    ['an odd parameter', bodyOf(part('; name="a"; *x="y"', 'v'))],
    ['an open quote', bodyOf(part('; name="a', 'v'))],
    ['an escaped quote', bodyOf(part('; name="a\\"b"', 'v'))],
    ['something behind a name', bodyOf(part('; name="a"b', 'v'))],
    ['__proto__', bodyOf(part('; name="__proto__"', 'v'))],
    [
      'a transfer encoding',
      bodyOf(part('; name="a"', 'dg==', 'Content-Transfer-Encoding: base64')),
    ],
    [
      'another charset',
      bodyOf(part('; name="a"', 'v', 'Content-Type: text/plain; charset=latin1')),
    ],
    ['two backslashes in a name', bodyOf(part('; name="a\\\\b"', 'v'))],
    ['a name*', bodyOf(part("; name=a; name*=UTF-8''b", 'v'))],
    ['another charset of filename*', bodyOf(part("; name=a; filename*=latin1''x", 'v'))],
    ['escapes of filename* that are no UTF-8', bodyOf(part("; name=a; filename*=UTF-8''%ff", 'v'))],
    ['a field that is no UTF-8', bodyOf(part('; name="a"', '\xff'))],
    ['a head that is no UTF-8', bodyOf(part('; name="\xff"', 'v'))],
    ['a field name with a blank', bodyOf(part('; name="a"', 'v', 'X Y: z'))],
    ['a folded field', bodyOf(part('; name="a"', 'v', 'X: y\r\n z'))],
    ['a control character in a head', bodyOf(part('; name="a\x01"', 'v'))],
    ['a lone carriage return in a head', bodyOf(part('; name="a"', 'v', 'X: y\r'))],
    ['a lone line feed in a head', bodyOf(part('; name="a"', 'v', 'X: y\nZ: z'))],
    [
      'its boundary within a part',
      Buffer.from(
        bodyOf(part('; name="a"', 'b'))
          .toString()
          .replaceAll('--b', `--${'b'.repeat(27)}`)
          .replace('\r\nb\r\n', `\r\nx${'b'.repeat(27)}\r\n`),
      ),
      `multipart/form-data; boundary=${'b'.repeat(27)}`,
    ],
    ['a head of 20 kB', bodyOf(part('; name="a"', 'v', `X: ${'y'.repeat(20_000)}`))],
    ['101 fields in a head', bodyOf(part('; name="a"', 'v', ...Array(101).fill('X: y')))],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      const error = await read(body, {}, contentType).catch((error: unknown) => error)
      expect(error).to.be.instanceOf(ServiceError).with.property('uri', badRequest)
    })
  }

  it('may have an encoding of the transfer that changes nothing', async () => {
    const { body } = await read(bodyOf(part('; name="a"', 'v', 'Content-Transfer-Encoding: 8bit')))
    expect(body).to.deep.equal({ a: 'v' })
  })

  it('has no file where an input was left empty', async () => {
    const { files } = await read(bodyOf(part('; name="a"; filename=""', '')), {
      types: ['image/*'],
    })
    expect(files?.last).to.deep.equal({})
  })

  const png = part('; name="a"; filename="x"', 'four', 'Content-Type: image/png')
  for (const [what, limits, uri, ...parts] of [
    ['fields', { fields: 1 }, tooLarge, fine, fine],
    ['no fields', { fields: 0 }, tooLarge, fine],
    ['files', { files: 1 }, tooLarge, png, png],
    ['bytes of a field', { field_max_bytes: 3 }, tooLarge, part('; name="a"', 'four')],
    ['bytes of a file', { file_max_bytes: 3 }, tooLarge, png],
    ['types', { types: ['image/gif', 'video/*'] }, 'service.error.unsupported_media_type', png],
    [
      'types of a file without one',
      { types: ['image/*'] },
      'service.error.unsupported_media_type',
      part('; name="a"; filename="x"', '1'),
    ],
  ] as const) {
    it(`is held to its limits of ${what}`, async () => {
      const error = await read(bodyOf(...parts), limits).catch((error: unknown) => error)
      expect(error).to.be.instanceOf(ServiceError).with.property('uri', uri)
      const { files } = await read(bodyOf(png), { files: 1, file_max_bytes: 4, types: ['image/*'] })
      expect(files?.last.a?.size).to.equal(4)
    })
  }

  it('is read alike wherever its slices end', () => {
    const whole = bodyOf(
      fine,
      png,
      part('; name="c"; filename="y"', '\r\n--\r\n--a\r\n-\r\r\n\n--'),
    )
    const readBy = (sizes: readonly number[]) => {
      const found: (PartHead & { content: string })[] = []
      const reader = new MultipartReader('b', {
        begin: (head) => found.push({ ...head, content: '' }),
        data(piece, at) {
          expect(Buffer.compare(whole.subarray(at, at + piece.length), piece)).to.equal(0)
          const last = found.at(-1)
          if (last) last.content += Buffer.from(piece).toString('latin1')
        },
        end: () => undefined,
      })
      let at = 0
      for (let index = 0; at < whole.length; index++) {
        const size = sizes[index % sizes.length] ?? 1
        reader.write(whole.subarray(at, at + size))
        at += size
      }
      reader.end()
      return found
    }
    const once = readBy([whole.length])
    expect(once.map(({ content }) => content)).to.deep.equal([
      'v',
      'four',
      '\r\n--\r\n--a\r\n-\r\r\n\n--',
    ])
    for (let size = 1; size < 80; size++) expect(readBy([size])).to.deep.equal(once)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
        expect(readBy(sizes)).to.deep.equal(once)
      }),
    )
  })

  it('of nearly nothing but delimiters is searched in slices', async () => {
    const boundary = 'a'.repeat(70)
    const near = `\r\n--${'a'.repeat(69)}b`.repeat(4_000)
    const head = `--${boundary}\r\n${part('; name="a"; filename="x"', near)}`
    const body = Buffer.from(`${head}\r\n--${boundary}--`)
    const { files } = await read(body, {}, `multipart/form-data; boundary=${boundary}`)
    expect(files?.last.a?.size).to.equal(near.length)
  })
})

describe('the boundary of a multipart body', () => {
  for (const [contentType, boundary] of [
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data;boundary="a b:c"', 'a b:c'],
    ['multipart/form-data; charset=utf-8; Boundary=abc ; x=y', 'abc'],
    [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ] as const) {
    it(`is read from ${contentType}`, () => {
      expect(readBoundary(contentType)).to.equal(boundary)
    })
  }

  for (const contentType of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
    'multipart/form-data; boundary="a "',
    'multipart/form-data; boundary=ä',
    'multipart/form-data; boundary=a; boundary=b',
    'multipart/form-data; xboundary=a',
  ]) {
    it(`is missing in ${contentType.slice(0, 60)}`, () => {
      expect(() => readBoundary(contentType)).to.throw(ServiceError, 'has no boundary')
    })
  }
})
