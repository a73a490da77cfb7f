import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect } from 'chai'
import { readLinks } from '#component/action/connections/link-field.ts'

const css = '</a.css>; rel=preload; as=style'

/** A field, and its values. */
const rows: readonly (readonly [what: string, field: string | string[] | undefined, string[]])[] = [
  ['an absent field', undefined, []],
  ['an empty field', '', []],
  ['one link', css, [css]],
  ['a link without parameters', '</a>', ['</a>']],
  ['two links', `${css}, </b.js>; rel=preload`, [css, '</b.js>; rel=preload']],
  ['two fields', [css, '</b>;rel=preload'], [css, '</b>;rel=preload']],
  ['links without blanks', '</a>;rel=preload,</b>;as=font', ['</a>;rel=preload', '</b>;as=font']],
  ['tabs and blanks around', ' \t</a> ; rel=x\t', ['</a> ; rel=x']],
  ['empty elements', ', </a>,, </b>,', ['</a>', '</b>']],
  ['a comma and a semicolon in a target', '</a,b;c>; rel=x, </d>', ['</a,b;c>; rel=x', '</d>']],
  [
    'an absolute target',
    '<https://cdn.example:8443/a?b=c#d>',
    ['<https://cdn.example:8443/a?b=c#d>'],
  ],
  ['escapes in a target', '</%C3%A9%20b>', ['</%C3%A9%20b>']],
  ['a quoted value', '</a>; rel="preload"', ['</a>; rel="preload"']],
  ['a comma in a quoted value', '</a>; title="b,c", </d>', ['</a>; title="b,c"', '</d>']],
  ['a parameter without a value', '</a>; crossorigin; rel=x', ['</a>; crossorigin; rel=x']],
  ['a value with more than a token', '</a>; type=font/woff2', ['</a>; type=font/woff2']],
  ['the character set of a value', "</a>; title*=UTF-8''e%20", ["</a>; title*=UTF-8''e%20"]],
  // well-formed, and left out
  ['a blank in a quoted value', '</a>; title="b c", </d>', ['</d>']],
  ['a semicolon in a quoted value', '</a>; title="b;c", </d>', ['</d>']],
  ['an escaped quotation mark', '</a>; title="b\\"c", </d>', ['</d>']],
  ['an empty target', '<>; rel=preload, </d>', ['</d>']],
  ['a blank in a target', '</a b>, </d>', ['</d>']],
  ['bytes beyond ASCII', ['</\xe9>; rel=preload', '</d>'], ['</d>']],
  ['a blank around an equals sign', '</a>; rel = preload, </d>', ['</d>']],
  ['an empty parameter', '</a>;, </d>', ['</d>']],
  // malformed: nothing of the field
  ['a target without brackets', '/a; rel=preload', []],
  ['a target that does not end', '</a; rel=preload', []],
  ['text behind a target', '</a>b; rel=preload', []],
  ['a malformed link behind a good one', `${css}, b`, []],
  ['a quoted value that does not end', '</a>; title="b', []],
  ['brackets in a target', '<<a>>', []],
  ['a parameter without a name', '</a>; =b', []],
  ['a malformed field beside a good one', ['a', css], [css]],
  ['a line break', '</a>\r\nSet-Cookie: b=c', []],
  ['a line break in a target', '</a\r\nb>', []],
  ['a NUL', '</a\0>, </d>', ['</d>']],
]

describe('readLinks', () => {
  for (const [what, field, links] of rows) {
    it(`reads ${what}`, () => expect(readLinks(field)).to.deep.equal(links))
  }

  it('gives nothing that Node refuses to write, of 20,000 random fields', () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    const pieces = [
      '<',
      '>',
      '/a',
      ';',
      ',',
      ' ',
      '\t',
      '"',
      '=',
      'rel',
      '\\',
      '\xe9',
      '\r\n',
      '</b>',
      ';c=d',
    ]
    let seed = 1
    const next = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    let count = 0
    for (let round = 0; round < 20_000; round += 1) {
      const field = Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join('')
      const link = readLinks([field, `</x>${field}`])
      count += link.length
      for (const one of link) expect(one).to.match(/^[\t -~]+$/)
      response.writeEarlyHints({ link })
    }
    expect(count).to.be.above(2000)
  })

  it('reads 16 kB without a link in linear time', () => {
    for (const field of [
      `</a>${';'.repeat(16_000)}<`,
      `</a>${'; \t'.repeat(5000)}<`,
      `</a>; b="${'\\"'.repeat(8000)}`,
      `</a>; ${'b'.repeat(16_000)}<`,
      `</a>; b=${'='.repeat(16_000)}"`,
    ]) {
      expect(readLinks(field)).to.deep.equal([])
    }
  })
})
