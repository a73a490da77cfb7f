/** `login_page` of a realm: the texts that a load accepts, and what pages say of the realm. */
import { expect } from 'chai'
import { hasLoginPage, loginPage, pageOf } from '#component/realm/documents/page-rules.ts'
import { Report } from '#component/spec/report.ts'

const issuesOf = (value: unknown) => {
  const report = new Report()
  loginPage(value, '/login_page', report)
  return [...report.issues, ...report.warnings].map(({ path, message }) => `${path} ${message}`)
}

const issues: readonly (readonly [value: unknown, ...issues: readonly string[]])[] = [
  [true],
  [false],
  [{}],
  [{ title: 'x'.repeat(64), text: 'ü'.repeat(300), support: '📞'.repeat(200) }],
  [{ text: '<b>"plain" & simple</b>' }],
  ['yes', '/login_page expected true, false, or a map of texts, got "yes"'],
  [{ title: '' }, '/login_page/title expected one line of 1 to 64 printable characters, got ""'],
  [
    { title: 'two\nlines' },
    '/login_page/title expected one line of 1 to 64 printable characters, got "two\\nlines"',
  ],
  [
    { support: 'turned \u202e round' },
    '/login_page/support expected one line of 1 to 200 printable characters, got "turned \u202e round"',
  ],
  [{ text: 1 }, '/login_page/text expected one line of 1 to 300 printable characters, got 1'],
]

const pages: readonly (readonly [document: object, name: string, more?: object])[] = [
  [{}, 'books'],
  [{ description: 'for readers of the document' }, 'books'],
  [{ description: 'for readers of the document', login_page: true }, 'books'],
  [{ login_page: { title: 'Books & Co' } }, 'Books & Co'],
  [{ login_page: { text: 'One.', support: 'Two.' } }, 'books', { text: 'One.', support: 'Two.' }],
  // a document of another version, which was not validated here
  [{ login_page: { title: 7, text: '\u0000' } }, 'books'],
]

describe('login_page of a realm', () => {
  for (const [value, ...told] of issues) {
    it(`${told.length > 0 ? 'refuses' : 'takes'} ${JSON.stringify(value).slice(0, 60)}`, () => {
      expect(issuesOf(value)).to.deep.equal(told)
    })
  }

  it('has texts that are too long refused', () => {
    for (const [key, most] of Object.entries({ title: 64, text: 300, support: 200 })) {
      const [issue, ...others] = issuesOf({ [key]: 'x'.repeat(most + 1) })
      expect(issue).to.include(`expected one line of 1 to ${most} printable characters`)
      expect(others).to.deep.equal([])
    }
  })

  it('is there with texts, too', () => {
    const has = [true, {}, { title: 'x' }, false, undefined, 'true', null]
    expect(has.map((login_page) => hasLoginPage({ login_page }))).to.deep.equal([
      ...[true, true, true],
      ...[false, false, false, false],
    ])
  })

  for (const [document, name, more = {}] of pages) {
    it(`has pages say ${name} for ${JSON.stringify(document).slice(0, 60)}`, () => {
      expect(pageOf({ uri: 'com.example.books', ...document })).to.deep.equal({ name, ...more })
    })
  }
})
