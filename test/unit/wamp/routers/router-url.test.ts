/** The URLs of routers. */
import { expect } from 'chai'
import { routerUrlProblem, shownRouterUrl } from '#component/wamp/routers/router-url.ts'

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
  ]) {
    it(`may not be ${JSON.stringify(url)}`, () => {
      expect(routerUrlProblem(url)).to.match(/^must be a ws: or wss: URL/)
    })
  }
})
