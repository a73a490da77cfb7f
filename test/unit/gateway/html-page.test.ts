/** HTML pages: what is text in them stays text. */
import { expect } from 'chai'
import { escaped, htmlReply, personStyle } from '#component/gateway/html-page.ts'
import { loginPage } from '#component/gateway/login-page.ts'

describe('an HTML page', () => {
  it('of a failed login has the stylesheet of pages for persons, which its policy names', () => {
    const { headers, body } = loginPage(400, { reason: 'state_expired', ways: [] })
    expect(body).to.have.property('bytes').that.includes(`<style>${personStyle}</style>`)
    expect(headers['content-security-policy']).to.match(/style-src 'sha256-[^' ]+'/)
  })

  it('has text without meaning for HTML', () => {
    expect(escaped(`<a href="x" id='y'>&</a>`)).to.equal(
      '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;&lt;/a&gt;',
    )
    const { body } = htmlReply(200, { title: '</title><script>', body: [] })
    expect(body).to.have.property('bytes').that.includes('<title>&lt;/title&gt;&lt;script&gt;')
  })

  it('allows no style unless it has one', () => {
    const policy = (style?: string) =>
      htmlReply(200, { title: 'x', body: [], ...(style !== undefined && { style }) }).headers[
        'content-security-policy'
      ]
    expect(policy()).to.match(/^default-src 'none'; base-uri/)
    expect(policy('a{}')).to.match(/^default-src 'none'; style-src 'sha256-[^' ]+'; base-uri/)
  })
})
