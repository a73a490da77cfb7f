/** Requests to the token endpoint that must be refused, as bytes on the listener of a gateway. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import {
  askLogin,
  basicOf,
  logIn,
  passwords,
  shopDocument,
  shopRealm,
  shopRealmWith,
} from '#test/support/examples/example-api.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type BadInput, describeArea } from './cases.ts'
import { type Answer, ask, jsonOf, post } from './sockets.ts'

const formType = 'application/x-www-form-urlencoded'
const path = '/shop/oauth/token'
const good = `grant_type=password&username=ada&password=${encodeURIComponent(passwords.ada)}`
const app = `Authorization: ${basicOf('app', passwords.app)}`

/** What the gateway has logged, from `trace` on. */
let logged = ''
const log = openLog('trace', {
  write(line) {
    logged += line
  },
})

/** The answer of RFC 6749 §5.2 that the row expects, with the members that all errors of the gateway have. */
function expectError(answer: Answer, { expected }: BadInput): Readonly<Record<string, unknown>> {
  const body = jsonOf(answer) as Readonly<Record<string, unknown>>
  expect([answer.status, body.error], answer.body).to.deep.equal([expected.status, expected.error])
  expect(body.code).to.equal(expected.code ?? expected.error)
  expect(body.error_description).to.be.a('string').and.not.equal('')
  expect(body.message).to.equal(body.error_description)
  expect(answer.headers).to.include({
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
  const challenge = `Basic realm="${shopRealm}", charset="UTF-8"`
  expect(answer.headers['www-authenticate']).to.equal(answer.status === 401 ? challenge : undefined)
  expect(body).to.not.have.any.keys('access_token', 'refresh_token')
  return body
}

describeArea(
  'oauth, token endpoint',
  {},
  (area) => {
    before(async () => {
      const { adminUrl } = area.gateway
      const loaded = await send(adminUrl, '/realms', { method: 'POST', body: shopRealmWith() })
      expect(loaded.status, loaded.text).to.be.oneOf([200, 201])
      await area.load(shopDocument)
    })
    // what is refused is refused for what the row says
    afterEach(async () => {
      await logIn(area.gateway.url, 'bob')
      for (const secret of Object.values(passwords)) expect(logged).to.not.include(secret)
    })

    const tell = (form: string, lines: readonly string[] = [app], target = path, type = formType) =>
      ask(area.port, post(target, type, form, lines))

    area.test(89, async (entry) => {
      const { username } = { username: 'ada' }
      const body = { grant_type: 'password', username, password: passwords.ada }
      expectError(await tell(JSON.stringify(body), [app], path, 'application/json'), entry)
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=b']) {
        expectError(await tell(good, [app], path, type), entry)
      }
    })

    area.test(94, async (entry) => {
      const twice = [
        'grant_type=refresh_token',
        'grant_type=password',
        'username=ada',
        'pass%77ord=x',
        'client_id=app&client_id=app',
        '__proto__=x&__proto__=y',
      ]
      for (const more of twice) expectError(await tell(`${good}&${more}`), entry)
    })

    for (const [index, forms] of [
      [
        96,
        [
          'grant_type=authorization_code&code=x',
          'grant_type=implicit',
          'grant_type=client_credentials',
        ],
      ],
      [
        99,
        [
          'grant_type=magic',
          'grant_type=__proto__',
          'grant_type=constructor',
          'grant_type=PASSWORD',
          'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer',
        ],
      ],
    ] as const) {
      area.test(index, async (entry) => {
        for (const form of forms) {
          const { error_description } = expectError(await tell(form), entry)
          expect(error_description).to.include('password, refresh_token')
        }
      })
    }

    area.test(100, async (entry) => {
      const guess = (password: string) => askLogin(area.gateway.url, 'ada', password)
      for (let count = 0; count < 20; count++) {
        const { status, text } = await guess(`guess ${count}`)
        expect([status, text.includes('invalid_grant')]).to.deep.equal([400, true])
      }
      for (const password of ['one more', passwords.ada]) {
        const form = `grant_type=password&username=ada&password=${encodeURIComponent(password)}`
        const refused = await tell(form)
        expectError(refused, entry)
        expect(Number(refused.headers['retry-after'])).to.be.within(1, 60)
      }
    })

    area.test(103, async (entry) => {
      const told = new Set<string>()
      for (const credentials of [
        basicOf('client', 'wrong'),
        basicOf('app', 'wrong'),
        basicOf('app', ''),
        basicOf('', passwords.app),
        // a user, and no client
        basicOf('bob', passwords.bob),
      ]) {
        const answer = await tell(good, [`Authorization: ${credentials}`])
        expectError(answer, entry)
        told.add(answer.body)
      }
      const inForm = await tell(`${good}&client_id=app&client_secret=wrong`, [])
      expectError(inForm, entry)
      expect(told.add(inForm.body).size).to.equal(1)
    })

    area.test(104, async (entry) => {
      const told = new Set<string>()
      for (const [username, password] of [
        ['bob', 'wrong'],
        ['bob', `${passwords.bob} `],
        ['Bob', passwords.bob],
        ['nobody', passwords.bob],
        ['__proto__', 'wrong'],
        // a user, and no resource owner
        ['backend', passwords.backend],
        ['app', passwords.app],
      ] as const) {
        const form = new URLSearchParams({ grant_type: 'password', username, password })
        const answer = await tell(form.toString())
        expectError(answer, entry)
        told.add(answer.body)
      }
      expect(told.size).to.equal(1)
    })

    area.test(106, async (entry) => {
      const encode = (text: string) => Buffer.from(text, 'latin1').toString('base64')
      for (const credentials of [
        '%%%',
        '',
        encode('app'),
        encode(`app:${passwords.app}`).replace(/^./, '*'),
        encode('app:\xff'),
        encode('app:%zz'),
        'Y=XBw',
      ]) {
        expectError(await tell(good, [`Authorization: Basic ${credentials}`]), entry)
      }
    })

    area.test(108, async (entry) => {
      const canary = 'canary-in-the-url'
      const query = `?grant_type=password&username=u&password=${canary}`
      logged = ''
      expectError(await tell('', [app], path + query), entry)
      expectError(await tell(good, [app], `${path}?x=${canary}`), entry)
      expectError(await tell(good, [app], `${path}?access_token=${canary}`), entry)
      // the lines of the requests are written after their answers
      const lines = () => logged.split('"msg":"request"').length - 1
      await until('three requests are logged', () => lines() >= 3)
      expect(logged).to.not.include(canary)
    })
  },
  { isEmbedded: true, log },
)
