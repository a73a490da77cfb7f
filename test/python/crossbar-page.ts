/** The set-up that docs/crossbar.md shows, as it stands there: Crossbar.io by its config.json, realms, and the gateway's answers. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { GatewaySessions } from '#component/realm/gateway-sessions.ts'
import { Logins } from '#component/realm/logins.ts'
import { Policy } from '#component/realm/policy.ts'
import type { Realms } from '#component/realm/realms.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import { TicketSessions } from '#component/realm/ticket-sessions.ts'
import { bearerOf } from '#component/token/signed-tokens.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import type { Session } from '#component/wamp/session.ts'
import { TrustedProxies } from '#http/peer.ts'
import type { Management } from '#procedures/definition/procedure.ts'
import { registerTickets } from '#procedures/index.ts'
import { registerAuthenticator, registerAuthorizer } from '#procedures/router-questions.ts'
import { freePort } from '#test/support/free-port.ts'
import { type Crossbar, startCrossbar } from '#test/support/peers/crossbar.ts'
import { managementOf } from '#test/unit/procedures/doubles.ts'
import { proofPorts, realmsWith, testBox } from '#test/unit/realm/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'

/** docs/crossbar.md */
export const page = readFileSync(join(import.meta.dirname, '../../docs/crossbar.md'), 'utf8')

/** The block of the page that holds a text. */
function block(language: string, containing: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
  const found = blocks.map(([, text = '']) => text).find((text) => text.includes(containing))
  if (found === undefined) throw new Error(`the page shows no ${language} with ${containing}`)
  return found
}

/** An Ed25519 key, hex. */
export function newKey(): { readonly seed: string; readonly public: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    seed: privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('hex'),
    public: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),
  }
}

/** What runs. */
export interface Documented {
  readonly crossbar: Crossbar
  /** Where WAMP clients connect. */
  readonly url: string
  /** Where gateways connect: `wamp.url`. */
  readonly gatewayUrl: string
  /** `wamp.auth`. */
  readonly auth: JoinAuth
  readonly realms: Realms
  /** The realm document of the page. */
  readonly document: Readonly<Record<string, unknown>>
  readonly tickets: SessionTickets
  /** What the procedures of tickets work on. */
  readonly management: Management
  /** The gateway's session on the component's realm. */
  readonly own: Session
  readonly key: ReturnType<typeof newKey>
  stop(): Promise<void>
}

/** The password of kim. */
export const password = 'a password, wholly “unguessable”'

const basics = {
  serializer: 'cbor',
  clock: systemClock,
  log: openLog('silent'),
  registrationCheckMs: 500,
} as const

/** Crossbar.io by the config.json of the page. */
export interface DocumentedRouter {
  readonly crossbar: Crossbar
  /** `wamp.url` */
  readonly gatewayUrl: string
  /** `wamp.auth` */
  readonly auth: JoinAuth
  stop(): Promise<void>
}

/** What a test needs to change in the page's config.json, such as roles of its own. */
export type Amend = (router: {
  readonly realms: { readonly name: string; readonly roles: object[] }[]
  readonly transports: {
    readonly paths: {
      readonly gateway?: { readonly auth: { readonly wampcra: { users: object } } }
    }
  }[]
}) => void

/** Starts Crossbar.io as the page shows it. */
export async function startDocumentedRouter(amend?: Amend): Promise<DocumentedRouter> {
  const secret = randomBytes(16).toString('hex')
  process.env.CROSSBAR_SECRET = secret
  const [text, gatewayPort] = [block('json', '"transports"'), await freePort()]
  const crossbar = await startCrossbar((port) => {
    const ours = text.replace('"port": 8080', `"port": ${port}`).replace('8081', `${gatewayPort}`)
    const config = JSON.parse(ours)
    amend?.(config.workers[0])
    return config
  })
  const { wamp } = parse(block('yaml', 'gateway-secret')) as { wamp: { url: string; auth: object } }
  const gatewayUrl = wamp.url.replace('8081', `${gatewayPort}`)
  const auth = { ...wamp.auth, secret } as JoinAuth
  return {
    ...{ crossbar, gatewayUrl, auth },
    async stop() {
      await crossbar.stop()
      delete process.env.CROSSBAR_SECRET
    },
  }
}

/** Starts all of it; logins are answered when it resolves. */
export async function startDocumented(amend?: Amend): Promise<Documented> {
  const router = await startDocumentedRouter(amend)
  const { crossbar, gatewayUrl, auth } = router
  const key = newKey()
  const environment = { KIM_PASSWORD: password, BACKEND_KEY: key.public }
  const { realms } = await realmsWith(environment, new MemoryStore(), { keepsPasswords: true })
  const tickets = new SessionTickets({ box: testBox, clock: systemClock })
  const { clock, log } = basics
  const { management, revocations } = await managementOf({
    ...{ realms, clock },
    logins: new Logins({ realms }),
  })
  revocations.start()
  const policy = new Policy({
    realms,
    clock: systemClock,
    componentRealm: 'service.gateway',
    admitsStrangers: () => false,
    ...proofPorts(),
    tickets: {
      sessionTickets: tickets,
      async verifyTicket(realm_uri, text) {
        const claims = await management.tickets.verify(text, realm_uri)
        const { authid, authroles } = claims
        const isRevoked = () => revocations.isRevoked(bearerOf(claims))
        return { authid, authroles, isRevoked, expiresAt: claims.exp * 1000 }
      },
    },
  })
  const ofTickets = new TicketSessions({
    clock,
    end: ({ realm_uri, session }) => void sessions.endSession(realm_uri, session),
  })
  revocations.onRevoked = () => ofTickets.endRevoked()
  const dynamic = new CrossbarAuthenticator({
    ...{ policy, realms, proxies: new TrustedProxies([]), clock, log },
    onTicket: (session) => ofTickets.add(session),
  })
  const sessions = new GatewaySessions({
    open: (realm_uri, onJoin) =>
      componentSession({ ...basics, url: gatewayUrl, realm_uri, auth, onJoin }),
    async register(session) {
      await registerAuthorizer(session, dynamic)
      await registerTickets(session, management, log)
    },
    isWanted: (uri) => policy.hasRealm(uri),
    componentRealm: 'service.gateway',
    ...{ clock, log },
  })
  realms.onChange = (uris) => sessions.follow(uris)
  realms.onUsersRevoked = (users) => sessions.end(users)
  const own = componentSession({ ...basics, url: gatewayUrl, realm_uri: 'service.gateway', auth })
  const document = JSON.parse(block('json', '"sources"'))
  await realms.load(document)
  await own.joined(10_000)
  await registerAuthenticator(own, dynamic)
  return {
    crossbar,
    url: crossbar.url,
    gatewayUrl,
    auth,
    realms,
    document,
    tickets,
    management,
    own,
    key,
    async stop() {
      ofTickets.close()
      await sessions.close()
      await own.leave()
      await router.stop()
    },
  }
}
