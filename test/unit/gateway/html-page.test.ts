/** HTML pages: what is text in them stays text. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { escaped, htmlReply, personStyle } from '#component/gateway/html-page.ts'
import { loginPage } from '#component/gateway/login-page.ts'
import { notFoundPage } from '#component/gateway/not-found-page.ts'

describe('an HTML page', () => {
  it('of a failed login has the stylesheet of pages for persons, which its policy names', () => {
    const { headers, body } = loginPage(400, { reason: 'state_expired', ways: [] }, undefined)
    expect(body).to.have.property('bytes').that.includes(`<style>${personStyle}</style>`)
    expect(headers['content-security-policy']).to.match(/style-src 'sha256-[^' ]+'/)
  })

  it('of a realm has its name and its help, as texts', () => {
    const realm = { name: '<i>Books', text: 'Choose.', support: '"Help" & more' }
    const shown = [
      loginPage(400, { reason: 'state_expired', ways: [] }, realm),
      notFoundPage(new ServiceError('service.error.not_found', 'nothing'), realm),
    ].map(({ body }) => (body.kind === 'bytes' ? String(body.bytes) : ''))
    for (const html of shown) {
      expect(html).to.include(' · &lt;i&gt;Books</title>').and.include('<b>&lt;i&gt;Books</b>')
      expect(html).to.include('<p>&quot;Help&quot; &amp; more</p>')
      expect(html, 'is of the choice').to.not.include('Choose.')
    }
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
