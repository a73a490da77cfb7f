/** The text of a description: the same values in JSON and in YAML. */
import { expect } from 'chai'
import { parse } from 'yaml'
import { parseJson } from '#component/codec/json.ts'
import { describing } from '#component/openapi/document.ts'
import { type DescriptionType, textOf } from '#component/openapi/text.ts'
import { runAtOnce } from '#component/yielding.ts'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { versionsOf } from './describe.ts'

const texts = [
  'no',
  'yes',
  '1.0',
  '0x1f',
  '~',
  'a: b',
  '- a',
  'two\nlines\n',
  ' x ',
  '\u0085\u2028',
  "it's",
  '"q"',
  '{a}',
  '#',
]

const document = documentOf(
  {
    '/a/:id': { get: { ...fixed(), description: 'One.\n\nTwo: three.' } },
    '/ä': { get: { ...fixed(), tags: texts } },
    '/b': { post: fixed() },
  },
  { schemas: { N: { enum: [...texts, 1, 1.5, true, null, 9007199254740993n, -(2n ** 63n)] } } },
)

const options = { baseUrl: 'https://a.example', serverBase: '', isInternal: false }
const [version] = versionsOf(document)

const written = (type: DescriptionType): string => {
  if (version === undefined) throw new Error('no version')
  return runAtOnce(textOf(runAtOnce(describing(version, options)), type)).toString()
}

describe('the text of a description', () => {
  it('keeps every value in JSON', () => {
    const value = parseJson(written('application/json')) as { components: unknown }
    expect(value)
      .to.have.nested.property('components.schemas.N.enum')
      .that.deep.equals((document as { schemas?: { N: { enum: unknown[] } } }).schemas?.N.enum)
  })

  for (const version of ['1.2', '1.1'] as const) {
    it(`is the same to readers of YAML ${version}`, () => {
      const yaml = parse(written('application/yaml'), { version, intAsBigInt: true })
      const json = parseJson(written('application/json'))
      const plain = (value: unknown) =>
        JSON.stringify(value, (_, item) =>
          typeof item === 'bigint' ? `${item}` : typeof item === 'number' ? `${item}` : item,
        )
      expect(plain(yaml)).to.equal(plain(json))
    })
  }

  it('has no paths where the version has none', () => {
    const [empty] = versionsOf(documentOf({}))
    if (empty === undefined) throw new Error('no version')
    const description = runAtOnce(describing(empty, options))
    expect(parseJson(runAtOnce(textOf(description, 'application/json')))).to.deep.include({
      paths: {},
    })
    expect(parse(runAtOnce(textOf(description, 'application/yaml')).toString())).to.deep.include({
      paths: {},
    })
  })
})
