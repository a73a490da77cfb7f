/** Characters of a request target: routing, expressions and the upstream see one form of it, in which all is escaped that has to be. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { exchangeRaw } from '#test/integration/http/fixture.ts'
import { ascii, nameOf, ofTarget, targetsGateway } from '#test/support/examples/targets.ts'

/** What URLs leave as it is, and a path or query must not have. */
const escaped = { path: '[]^`{|}', query: '[\\]^`{|}' }

/** What is refused in a path or a query. The slash and the question mark divide the target; a percent sign begins an escape. */
const refused = { path: '"#%<>\\', query: '"#%<>' }

describe('a character of a request target', () => {
  const gatewayOf = targetsGateway()

  const raw = async (target: string) => {
    const { status, body } = await exchangeRaw(
      Number(new URL(gatewayOf().url).port),
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    )
    return { status, value: status === 200 ? JSON.parse(body) : undefined }
  }

  const targetOf = (place: 'path' | 'query', middle: string, route: string) =>
    place === 'path' ? `/${route}/a${middle}b?q=1` : `/${route}/a?q=a${middle}b`

  for (const place of ['path', 'query'] as const) {
    for (const character of ascii) {
      const isControl = character <= ' ' || character === '\x7f'
      const isSlash = place === 'path' && '/?'.includes(character)
      if (isSlash || (place === 'query' && character === '&')) continue
      if (isControl || refused[place].includes(character)) {
        it(`is refused in a ${place}: ${nameOf(character)}`, async () => {
          expect(await raw(targetOf(place, character, 'seen'))).to.have.property('status', 400)
          expect(await raw(targetOf(place, character, 'sent'))).to.have.property('status', 400)
        })
        continue
      }
      it(`is the same for all in a ${place}: ${nameOf(character)}`, async () => {
        const sent = await raw(targetOf(place, character, 'sent'))
        const seen = await raw(targetOf(place, character, 'seen'))
        const stands = escaped[place].includes(character)
          ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
          : character
        expect(sent).to.deep.equal({ status: 200, value: targetOf(place, stands, 'sent') })
        expect(sent.value).to.match(ofTarget)
        expect(seen.value.target).to.equal(targetOf(place, stands, 'seen'))
        // of a form, a plus is a blank
        const read = place === 'query' && character === '+' ? ' ' : character
        expect(seen.value[place === 'path' ? 'x' : 'q']).to.equal(`a${read}b`)
      })
    }
  }

  for (const [what, path, form] of [
    ['parameters of arrays', '/sent/a?id[]=1&id[]=2', '/sent/a?id%5B%5D=1&id%5B%5D=2'],
    ['JSON', "/sent/a?q={'a':[1|2]}", "/sent/a?q=%7B'a':%5B1%7C2%5D%7D"],
    ['escapes beside them', '/sent/%5b[%5B?%7b{', '/sent/%5b%5B%5B?%7b%7B'],
    ['a template', '/sent/a?q={{request.id}}', '/sent/a?q=%7B%7Brequest.id%7D%7D'],
    ['braces and a backtick', '/sent/{1}`2`/}', '/sent/%7B1%7D%602%60/%7D'],
    [
      'all of both',
      '/sent/|[]{}^`?{}|^`\\[]',
      '/sent/%7C%5B%5D%7B%7D%5E%60?%7B%7D%7C%5E%60%5C%5B%5D',
    ],
    ['a matrix', '/sent/[1,2]|^;v=[3]', '/sent/%5B1,2%5D%7C%5E;v=%5B3%5D'],
    ['a path of Windows', '/sent/a?f=C:\\x\\..\\y', '/sent/a?f=C:%5Cx%5C..%5Cy'],
  ] as const) {
    it(`reaches the upstream in ${what}`, async () => {
      expect(await raw(path)).to.deep.equal({ status: 200, value: form })
    })
  }

  it('is escaped in the absolute form, too', async () => {
    const { hostname, port } = new URL(gatewayOf().url)
    const path = `http://${hostname}:${port}/sent/a|b?c={d}`
    const asked = request({ host: hostname, port, path }).end()
    const answer = await new Promise<string>((resolve, reject) => {
      asked.on('response', (response) => resolve(text(response))).on('error', reject)
    })
    expect(JSON.parse(answer)).to.equal('/sent/a%7Cb?c=%7Bd%7D')
  })
})
