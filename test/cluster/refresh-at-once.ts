/** One refresh token, used by a thousand requests at once: what is asked, and what must come of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { ClusterNode } from './cluster-node.ts'

const password = 'known to the owner'

const realm = {
  uri: 'com.example.realm',
  authmethods: ['password', 'oauth2'],
  users: [{ username: 'ada', password, groups: ['api_clients', 'resource_owners'] }],
}

const document = {
  id: 'com.example.refresh',
  host: '_',
  realm_uri: realm.uri,
  defaults: {
    schemes: ['http'],
    security: { type: 'oauth2', flow: 'resource_owner_password_credentials' },
  },
  versions: {
    '1.0.0': {
      base_path: '/',
      paths: {
        '/me': {
          get: {
            action: { type: 'static', body: '{{security.authid}}' },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** Starts nodes on one SQLite store, one after the other, for the suite that this is called in; each with a clock that is ahead by so many milliseconds. */
export function nodesOfOneStore(
  settings: Readonly<Record<string, string>> = {},
): (clockOffset?: number) => Promise<ClusterNode> {
  const nodes: ClusterNode[] = []
  const data_dir = mkdtempSync(join(tmpdir(), 'gateway-refresh-'))
  after(async () => {
    for (const node of nodes) await node.discard()
    rmSync(data_dir, { recursive: true, force: true })
  })
  return async (clockOffset = 0) => {
    const all = { data_dir, ...settings }
    const node = await ClusterNode.make({ name: 'node-1', clockOffset, settings: all })
    nodes.push(node)
    await node.start()
    return node
  }
}

/** Milliseconds that the clock of a node must be ahead for the repeat of a use to come too late. */
export const afterGrace = 11_000

const ask = async ({ url }: ClusterNode, fields: Readonly<Record<string, string>>) => {
  const answer = await send(url, '/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
  return { status: answer.status, ...(answer.json() as Tokens & { readonly error?: string }) }
}

const refresh = (node: ClusterNode, refresh_token: string) =>
  ask(node, { grant_type: 'refresh_token', refresh_token })

/** Loads realm and API, and logs in. @returns the first refresh token of a family */
export async function logIn(node: ClusterNode): Promise<string> {
  for (const [path, body] of [
    ['/services/load_realm', realm],
    ['/api_specs', document],
  ] as const) {
    const answer = await send(node.adminUrl, path, { method: 'POST', body })
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
  }
  const client = { client_id: 'ada', client_secret: password }
  const login = { grant_type: 'password', username: 'ada', password, ...client }
  return (await ask(node, login)).refresh_token
}

/**
 * Uses the token so many times at once at all nodes in turn: all of them are answered, and there is one next token.
 * @returns that token
 */
export async function refreshAtOnce(
  nodes: readonly ClusterNode[],
  token: string,
  count: number,
): Promise<string> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      refresh(nodes[index % nodes.length] as ClusterNode, token),
    ),
  )
  expect([...new Set(answers.map(({ status }) => status))]).to.deep.equal([200])
  const heads = new Set(answers.map(({ refresh_token }) => refresh_token))
  expect(heads.size).to.equal(1)
  expect(new Set(answers.map(({ access_token }) => access_token)).size).to.equal(count)
  const [head = ''] = heads
  expect(head).to.not.equal(token)
  return head
}

/** The head works, gives one further token, and then the old one ends everything. */
export async function expectOneHead(late: ClusterNode, token: string, head: string): Promise<void> {
  const next = await refresh(late, head)
  expect(next.status, next.error).to.equal(200)
  const use = () =>
    send(late.url, '/me', { headers: { authorization: `Bearer ${next.access_token}` } })
  expect((await use()).status).to.equal(200)
  expect(await refresh(late, token)).to.include({ status: 400, error: 'invalid_grant' })
  expect((await use()).status).to.equal(401)
  expect(await refresh(late, next.refresh_token)).to.include({ status: 400 })
}
