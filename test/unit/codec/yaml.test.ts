/** YAML documents: the values that the same document has as JSON, what is refused, and where values stand. */
import { expect } from 'chai'
import { documentRules } from '#component/codec/limits.ts'
import { isYamlFile, parseYaml, placesIn } from '#component/codec/yaml.ts'
import { ServiceError } from '#component/errors.ts'

const parse = (text: string) => parseYaml(text, documentRules)

function refusalOf(text: string): string {
  try {
    parse(text)
  } catch (cause) {
    if (cause instanceof ServiceError) return cause.message
    throw cause
  }
  return 'accepted'
}

describe('a document as YAML', () => {
  for (const [text, value] of [
    ['a: 1', { a: 1 }],
    ['a: 12345678901234567890', { a: 12345678901234567890n }],
    ['a: -9223372036854775808', { a: -9223372036854775808n }],
    ['a: 1.50', { a: 1.5 }],
    ['a: 0x1F', { a: 31 }],
    ['a: yes\nb: on\nc: true', { a: 'yes', b: 'on', c: true }],
    ['a: ~\nb:', { a: null, b: null }],
    ['a: 2026-11-22', { a: '2026-11-22' }],
    ['1.0: {x: 1}\n2: 3\ntrue: 4', { '1.0': { x: 1 }, '2': 3, true: 4 }],
    ['a: |\n  one\n  two\n', { a: 'one\ntwo\n' }],
    ['- "{{request.body}}"\n- \'{{a}}\'', ['{{request.body}}', '{{a}}']],
    ['{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
    ['', null],
  ] as const) {
    it(`${JSON.stringify(text)} has the values of its JSON`, () => {
      expect(parse(text)).to.deep.equal(value)
    })
  }

  for (const [title, text, refusal] of [
    ['an alias', 'a: &x 1\nb: *x', 'expected no alias at line 2, column 4'],
    ['a tag', 'a: !!str 5', 'expected no tag at line 1'],
    ['a merge key', 'a:\n  <<: {b: 1}', 'expected no merge key at line 2, column 3'],
    ['a directive', '%YAML 1.1\n---\na: yes', 'expected no directives'],
    ['a second document', 'a: 1\n---\nb: 2', 'expected one document at line 2'],
    ['a key that stands twice', 'a: 1\na: 2', 'Map keys must be unique at line 2, column 1'],
    ['a list as key', '? [1]\n: 2', 'expected a text as key at line 1, column 3'],
    ['infinity', 'a: .inf', 'expected a finite number at line 1, column 4'],
    ['a number beyond a double', 'a: 1e400', 'expected a finite number at line 1'],
    ['an integer beyond 64 bits', 'a: 18446744073709551616', 'more than 64 bits at line 1'],
    ['an open list', '[1, 2', 'must end with a ] at line 1, column 6'],
    ['a tab as indentation', 'a:\n\tb: 1', 'at line 2'],
    ['100,000 open lists', '['.repeat(100_000), 'expected less nesting'],
    ['300 levels', `${'['.repeat(300)}${']'.repeat(300)}`, 'nesting deeper than 256'],
  ] as const) {
    it(`refuses ${title}, and says where`, () => {
      expect(refusalOf(text)).to.include(refusal)
    })
  }

  it('is known by the name of its file', () => {
    const names = ['a.yaml', 'b.yml', 'c.YAML', 'd.json', 'yaml', 'e.yaml.json']
    expect(names.filter(isYamlFile)).to.deep.equal(['a.yaml', 'b.yml', 'c.YAML'])
  })
})

describe('the place of a value', () => {
  const yaml = 'id: x\nversions:\n  1.0:\n    paths:\n      /a/~b: {get: [1, 2]}\n'
  const json = '{\r\n  "id": "x",\r\n  "list": [1, {"a": 5}]\r\n}'

  for (const [text, pointer, line, column] of [
    [yaml, '', 1, 1],
    [yaml, '/versions/1.0', 3, 3],
    [yaml, '/versions/1.0/paths/~1a~1~0b/get', 5, 15],
    [yaml, '/versions/1.0/paths/~1a~1~0b/get/1', 5, 24],
    [json, '/id', 2, 3],
    [json, '/list/1/a', 3, 16],
  ] as const) {
    it(`${pointer || 'the document'} is at ${line}:${column}`, () => {
      const place = placesIn(text)(pointer)
      expect([place.line, place.column]).to.deep.equal([line, column])
      expect(place.text).to.equal(text.split(/\r?\n/)[line - 1])
    })
  }

  it('of what does not exist is that of the nearest that does', () => {
    expect(placesIn(yaml)('/versions/1.0/nope/deeper').line).to.equal(3)
    expect(placesIn(json)('/nope').line).to.equal(1)
  })

  it('is the beginning of a text that holds nothing', () => {
    expect(placesIn('')('/a')).to.deep.equal({ line: 1, column: 1, text: '' })
  })
})
