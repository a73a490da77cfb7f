/** The keys of tools for language models: `mcp` of a version, and `tool` of an operation. */
import { expect } from 'chai'
import { validateSpec } from '#component/spec/validate.ts'
import { withValue } from './document.ts'
import { path, show } from './field-rows.ts'

const mcp = '/versions/1/mcp'
const tool = `${path}/get/tool`
const input = { type: 'object', properties: { a: { type: 'string' } } }
const long = { type: 'object', description: 'x'.repeat(65_536) }

/** The object, its other keys; key: valid values, and values with the pointers of their issues below the key. */
const rows: readonly (readonly [
  object: string,
  others: object,
  keys: Readonly<Record<string, readonly [readonly unknown[], readonly unknown[][]]>>,
])[] = [
  [
    mcp,
    { path: '/mcp' },
    {
      path: [
        ['/mcp', '/a/b'],
        [
          [1, ''],
          ['mcp', ''],
          ['/', ''],
          ['/a/', ''],
          ['/:a', ''],
          ['/[a]', ''],
          ['{{variables.p}}', ''],
        ],
      ],
      name: [
        ['orders', 'A-1_b.c'],
        [
          ['', ''],
          ['a b', ''],
          ['x'.repeat(65), ''],
          [1, ''],
        ],
      ],
      instructions: [
        ['First list, then get.', 'x'.repeat(4096)],
        [
          ['', ''],
          ['x'.repeat(4097), ''],
          [1, ''],
        ],
      ],
      max_result_bytes: [
        [1, 1_048_576],
        [
          [0, ''],
          [1.5, ''],
          ['1', ''],
        ],
      ],
    },
  ],
  [
    tool,
    { name: 'get_x', description: 'Gets x.' },
    {
      name: [
        ['get_x', 'X-1.y', 'x'.repeat(64)],
        [
          ['', ''],
          ['get x', ''],
          ['x'.repeat(65), ''],
          ['ä', ''],
          [1, ''],
        ],
      ],
      description: [
        ['One x.', '{{ is text }}'],
        [
          ['', ''],
          ['x'.repeat(4097), ''],
          [1, ''],
        ],
      ],
      title: [['An x'], [[1, '']]],
      input: [
        [input, { ...input, additionalProperties: false }],
        [
          [true, ''],
          ['x', ''],
          [{}, '/type'],
          [{ type: 'array' }, '/type'],
          [{ type: ['object', 'null'] }, '/type'],
          [{ $ref: '#/schemas/A' }, '/type'],
          [long, ''],
        ],
      ],
      output: [
        [{}, true, { type: 'array' }],
        [
          ['x', ''],
          [long, ''],
        ],
      ],
      annotations: [
        [{}, { readOnlyHint: true, openWorldHint: false }],
        [
          [1, ''],
          [{ readOnlyHint: 1 }, '/readOnlyHint'],
        ],
      ],
    },
  ],
]

for (const [object, others, keys] of rows) {
  describe(`the keys of ${object}`, () => {
    for (const [key, [valid, wrong]] of Object.entries(keys)) {
      const judge = (value: unknown) => validateSpec(withValue(object, { ...others, [key]: value }))
      for (const value of valid) {
        it(`${key} may be ${show(value)}`, () => {
          const { issues, warnings } = judge(value)
          expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
        })
      }
      for (const [value, below] of wrong) {
        it(`${key} may not be ${show(value)}`, () => {
          const paths = judge(value).issues.map((issue) => issue.path)
          expect(paths).to.deep.equal([`${object}/${key}${below}`])
        })
      }
    }

    it('warns of a key that it does not know', () => {
      const { issues, warnings } = validateSpec(withValue(object, { ...others, nme: 1 }))
      expect(issues).to.deep.equal([])
      expect(warnings.map((warning) => warning.path)).to.deep.equal([`${object}/nme`])
    })

    for (const key of Object.keys(others)) {
      it(`needs ${key}`, () => {
        const { issues } = validateSpec(withValue(object, { ...others, [key]: undefined }))
        expect(issues.map((issue) => issue.path)).to.deep.equal([`${object}/${key}`])
      })
    }
  })
}
