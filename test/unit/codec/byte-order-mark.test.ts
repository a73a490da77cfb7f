/** A byte order mark before a text in UTF-8 is taken wherever JSON or YAML is read from bytes; elsewhere it is data, or a mistake. */
import { expect } from 'chai'
import { parseJson, parsingJson } from '#component/codec/json.ts'
import { documentRules } from '#component/codec/limits.ts'
import { parseYaml } from '#component/codec/yaml.ts'
import { ServiceError } from '#component/errors.ts'
import { decodeBody } from '#http/codec.ts'

const mark = '\ufeff'
const bytesOf = (text: string) => Buffer.from(text)

const inSteps = (source: Uint8Array) => {
  const steps = parsingJson(source, documentRules)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

describe('a byte order mark', () => {
  for (const [what, read] of [
    ['a body', (source: Uint8Array) => decodeBody('application/json', source)],
    [
      'a body of another JSON type',
      (source: Uint8Array) => decodeBody('application/a+json; charset=utf-8', source),
    ],
    ['a document', (source: Uint8Array) => parseJson(source, documentRules)],
    ['a document in steps', inSteps],
    ['a document in YAML', (source: Uint8Array) => parseYaml(source, documentRules)],
  ] as const) {
    for (const [text, value] of [
      ['{"a":1}', { a: 1 }],
      [' [12345678901234567]', [12345678901234567n]],
      ['"x"', 'x'],
      ['{"\ufeff":"\ufeff"}', { '\ufeff': '\ufeff' }],
    ] as const) {
      it(`is taken before ${text} of ${what}`, () => {
        expect(read(bytesOf(mark + text))).to.deep.equal(value)
      })
    }
  }

  for (const [what, source] of [
    ['twice', bytesOf(`${mark}${mark}{}`)],
    ['alone', bytesOf(mark)],
    ['behind the value', bytesOf(`{}${mark}`)],
    ['within it', bytesOf(`{${mark}}`)],
    ['of UTF-16', Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
  ] as const) {
    it(`is refused ${what}`, () => {
      expect(() => decodeBody('application/json', source)).to.throw(ServiceError)
    })
  }
})
