/** How the cookies of a request are read: strictly, and none of a name that stands twice. */
import { expect } from 'chai'
import { isCookieName } from '#component/syntax/cookie-field.ts'
import { csrfCookie, readCookie, ticketCookie } from '#component/token/ticket-cookie.ts'

describe('the cookies of a ticket', () => {
  it('are called by the realm as it is', () => {
    expect(ticketCookie('com.example.r-1')).to.equal('service_ticket_com.example.r-1')
    expect(csrfCookie('com.example.r-1')).to.equal('service_csrf_com.example.r-1')
  })

  for (const [field, value] of [
    ['n=v', 'v'],
    ['a=b;n=v', 'v'],
    ['a=b; \tn=v ; c', 'v'],
    ['n=a.b-c_d=', 'a.b-c_d='],
    ['x=n=w; n=v', 'v'],
    ['nn=w; n=v', 'v'],
    ['N=w; n=v', 'v'],
    ['n=v; n=v', undefined],
    ['n=v; n=', undefined],
    ['n=v; n', undefined],
    ['n', undefined],
    ['n=', undefined],
    ['', undefined],
    ['an=v', undefined],
    ['n =v', undefined],
    ['n=a b', undefined],
    ['n="v"', undefined],
    ['n=a,b', undefined],
    ['n=a\\b', undefined],
    ['n=\u00e9', undefined],
  ] as const) {
    it(`reads ${value ?? 'nothing'} from "${field}"`, () => {
      expect(readCookie(field, 'n')).to.equal(value)
    })
  }

  it('are none where the field is missing', () => {
    expect(readCookie(undefined, 'n')).to.equal(undefined)
  })

  it('have names that a cookie can have', () => {
    for (const good of ['service_ticket_com.a', "!#$%&'*+-.^_`|~"]) {
      expect(isCookieName(good)).to.equal(true)
    }
    for (const bad of ['', 'a b', 'a;b', 'a=b', 'a,b', 'ä', 'a\n', 'a"', 'a\\', 'a/b']) {
      expect(isCookieName(bad), bad).to.equal(false)
    }
  })
})
