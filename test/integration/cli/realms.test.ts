/** realm, user and key: an operator makes a realm with a user and an API key, sees them, and ends them again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { runCli } from '#test/unit/cli/terminal.ts'

const uri = 'com.example.shop'
const document = { uri, authmethods: ['wampcra'], users: [{ username: 'eve', password: 'first' }] }

const files = {
  'shop.json': JSON.stringify(document),
  'more.yaml': `uri: ${uri}\nauthmethods: [wampcra]\nnonsense: 1\n`,
  'bad.json': JSON.stringify({ uri, users: [{}] }),
  'ada.txt': 'correct horse\n',
}

type Step = readonly [what: string, args: string, code: number, out: RegExp]

/** In this order. `{NAME}` is the file, `HASH` the hash of the first version, `KEY` the id of the key that was made last. */
const steps: readonly Step[] = [
  ['loads a realm', 'realm load {shop.json}', 0, /^shop\.json: loaded\n$/],
  [
    'refuses a wrong one, and says where',
    'realm load {bad.json}',
    1,
    /error: \/users\/0\/username: /,
  ],
  [
    'lists realms',
    'realm list',
    0,
    /^REALM +INHERITS FROM +USERS +LOADED\n(?:.*\n)*com\.example\.shop +1 +20/,
  ],
  ['shows a realm without secrets', `realm get ${uri}`, 0, /^(?!.*password).*"username": "eve"/s],
  [
    'adds a user',
    `user add ${uri} ada --group staff --group night --password-file {ada.txt}`,
    0,
    /^added ada\n$/,
  ],
  [
    'adds no user twice',
    `user add ${uri} ada`,
    1,
    /the realm has the user ada already: user set changes it/,
  ],
  [
    'changes no unknown user',
    `user set ${uri} bob --enabled false`,
    1,
    /the realm has no user bob: user add makes one/,
  ],
  ['shows a user', `user get ${uri} ada`, 0, /"groups": \[\n +"staff",\n +"night"\n +\]/],
  ['shows no unknown user', `user get ${uri} bob`, 1, /the realm has no user bob/],
  [
    'makes a key',
    `key add ${uri} ada --name nightly_reports --expires 90d`,
    0,
    /^gk_[\w-]{12}_[\w-]{43}\n$/,
  ],
  [
    'lists keys',
    `key list ${uri}`,
    0,
    /^ID +NAME +USER +LAST USED +MADE +ENDS\n[\w-]{12} +nightly_reports +ada +20\S+Z +20\S+Z\n$/,
  ],
  ['revokes a key', 'key revoke KEY', 0, /^revoked [\w-]{12}\n$/],
  ['lists no revoked key', `key list ${uri}`, 0, /^ID .*\n$/],
  ['disables a user', `user set ${uri} ada --enabled false`, 0, /^changed ada\n$/],
  [
    'lists users',
    `user list ${uri}`,
    0,
    /^USER +LIST +GROUPS *\neve +users\nada +users +staff, night +disabled\n$/,
  ],
  ['lists logins', `user sessions ${uri}`, 0, /^USER +BY +SINCE +SEEN +ADDRESS +NODE\n$/],
  [
    'logs a user out',
    `user logout ${uri} eve`,
    0,
    /^eve is logged out everywhere; API keys stay\n$/,
  ],
  ['revokes all of a user', `user revoke ${uri} eve`, 0, /^everything issued to eve is revoked\n$/],
  ['deletes a user', `user delete ${uri} ada`, 0, /^deleted ada\n$/],
  ['deletes no unknown user', `user delete ${uri} ada`, 1, /no user/],
  ['lists versions', `realm versions ${uri}`, 0, /current/],
  ['loads with warnings', 'realm load {more.yaml}', 0, /warning: \/nonsense/],
  ['goes back', `realm rollback ${uri} HASH`, 0, /^loaded com\.example\.shop as of \w+\n$/],
  ['deletes a realm', `realm delete ${uri}`, 0, /^deleted com\.example\.shop\n$/],
  ['shows no unknown realm', `realm get ${uri}`, 1, /realm/],
  ['refuses an unknown verb', 'key make', 64, /make: expected one of list, add, revoke/],
  ['refuses too few arguments', `user get ${uri}`, 64, /expected get REALM USER/],
  ['refuses too many arguments', `realm get ${uri} x`, 64, /expected get REALM/],
  [
    'refuses another time',
    `key add ${uri} ada --expires 3w`,
    64,
    /expected a number and s, m, h or d, such as 90d; found "3w"/,
  ],
  [
    'refuses a file that is not there',
    `user add ${uri} ada --password-file {none.txt}`,
    66,
    /none\.txt cannot be read/,
  ],
  [
    'refuses another word',
    `user set ${uri} ada --enabled no`,
    64,
    /expected true or false; found "no"/,
  ],
]

describe('wamp-gateway realm, user and key', () => {
  let folder: string
  let gateway: TestGateway
  const found = { HASH: '', KEY: '' }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-realms-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    gateway = await startGateway()
  })

  after(async () => {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** What later steps name. */
  async function look(): Promise<void> {
    const read = async (what: string) => {
      const { status, json } = await send(gateway.adminUrl, `/realms/${uri}/${what}`)
      return status === 200 ? (json() as readonly { readonly id: string; hash: string }[]) : []
    }
    found.KEY = (await read('api_keys'))[0]?.id ?? found.KEY
    found.HASH = (await read('versions')).at(-1)?.hash ?? found.HASH
  }

  for (const [what, line, code, expected] of steps) {
    it(what, async () => {
      await look()
      const [command = '', ...words] = line
        .split(' ')
        .map((word) => word.replace(/^\{(.*)\}$/, (_, name) => join(folder, name)))
        .map((word) => found[word as keyof typeof found] ?? word)
      const ran = await runCli([command, '--admin', gateway.adminUrl, ...words])
      const printed = (ran.out + ran.err).replaceAll(`${folder}/`, '')
      expect(printed).to.match(expected)
      expect(ran.code).to.equal(code)
    })
  }
})
