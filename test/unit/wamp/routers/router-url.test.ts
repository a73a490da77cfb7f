/** The URLs of routers. */
import { expect } from 'chai'
import {
  rawSocketAddress,
  routerUrlProblem,
  shownRouterUrl,
} from '#component/wamp/routers/router-url.ts'

const longest = `/${'x'.repeat(106)}`

describe('the URL of a router', () => {
  for (const [url, shown] of [
    ['ws://127.0.0.1:8080/ws', 'ws://127.0.0.1:8080/ws'],
    ['WSS://Router.Example/ws', 'wss://router.example/ws'],
    ['ws://[::1]:8080', 'ws://[::1]:8080/'],
    ['wss://joe:secret@router/ws?ticket=secret', 'wss://router/ws'],
    ['wss://secret@router/ws', 'wss://router/ws'],
  ] as const) {
    it(`may be ${url}, and is shown as ${shown}`, () => {
      expect(routerUrlProblem(url)).to.equal(undefined)
      expect(shownRouterUrl(url)).to.equal(shown)
      expect(rawSocketAddress(url)).to.equal(undefined)
    })
  }

  for (const [url, shown, address] of [
    ['rs://127.0.0.1:80', 'rs://127.0.0.1:80', { host: '127.0.0.1', port: 80, isSecure: false }],
    ['rss://router:443/', 'rss://router:443/', { host: 'router', port: 443, isSecure: true }],
    ['RSS://a.b_c-d:1', 'rss://a.b_c-d:1', { host: 'a.b_c-d', port: 1, isSecure: true }],
    ['rs://[::1]:65535', 'rs://[::1]:65535', { host: '::1', port: 65_535, isSecure: false }],
    ['unix:/run/a b%20?#@c.sock', 'unix:/run/a b%20?#@c.sock', { path: '/run/a b%20?#@c.sock' }],
    ['unix:///run/router', 'unix:/run/router', { path: '/run/router' }],
    [`unix:${longest}`, `unix:${longest}`, { path: longest }],
  ] as const) {
    it(`may be ${url} for RawSocket, and is shown as ${shown}`, () => {
      expect(routerUrlProblem(url)).to.equal(undefined)
      expect(rawSocketAddress(url)).to.deep.equal(address)
      expect(shownRouterUrl(url)).to.equal(shown)
    })
  }

  for (const url of [
    ...['', 'router:8080', 'http://router/ws', 'ws:', 'ws://', 'ws:///ws', 'ws://router:x/ws'],
    ...[
      'ws://router:70000/',
      'ws://a b/',
      'ws://router/ws#top',
      ' ws://router/ws',
      'ws+unix:/a:/b',
    ],
    ...[
      'rs://router',
      'rs://router:0',
      'rs://router:65536',
      'rs://:80',
      'rs://router:80/ws',
      'rs:80',
    ],
    ...['rs://joe:secret@router:80', 'rs://router:80?a', 'rs://router:80#a', 'rs://[::g]:80'],
    ...[
      'unix:',
      'unix:run/a',
      'unix://run/a',
      'unix:./a',
      'unix:/a\0b',
      `unix:${longest}x`,
      'tcp://a:1',
    ],
  ]) {
    it(`may not be ${JSON.stringify(url)}`, () => {
      expect(routerUrlProblem(url)).to.match(/^must be a ws: or wss: URL/)
      expect(rawSocketAddress(url)).to.equal(undefined)
    })
  }
})
