/** `user`: the users of a realm, where they have logged in, and the end of what they were given. */
import { readFileSync } from 'node:fs'
import type { AdminClient } from '#component/cli/admin-client.ts'
import { CommandError, exitCode, type Invocation, type Result } from '#component/cli/command.ts'
import { listOf, realmPath } from '#component/cli/documents.ts'
import { pretty, shownText } from '#component/cli/format.ts'
import { table } from '#component/cli/table.ts'
import { usersOf } from '#component/realm/documents/membership.ts'
import { type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import { runVerb, timeOfSeconds, type Verbs } from './verbs.ts'

/** The users of a realm as the gateway shows them, with the hash of the realm. */
async function readUsers(client: AdminClient, uri: string) {
  const { body, hash = '' } = await client.request('GET', realmPath(uri))
  return { users: usersOf(body), hash }
}

const isNamed = (name: string) => (user: ReturnType<typeof usersOf>[number]) => user.name === name

/** The members that the options name. @throws CommandError for a file that cannot be read, and another word than true and false */
function membersIn(invocation: Invocation): JsonMap {
  const groups = invocation.options('group')
  const file = invocation.option('password-file')
  const enabled = invocation.option('enabled')
  if (enabled !== undefined && enabled !== 'true' && enabled !== 'false') {
    throw new CommandError(exitCode.usage, `--enabled: expected true or false; found "${enabled}"`)
  }
  return {
    ...(groups.length > 0 && { groups }),
    ...(file !== undefined && { password: readPassword(file) }),
    ...(enabled !== undefined && { enabled: enabled === 'true' }),
  }
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    throw new CommandError(exitCode.noInput, `--password-file: ${file} cannot be read`, { cause })
  }
}

/** Adds or changes a user, on the condition that the realm is as it was when the user was looked for. */
async function write(
  client: AdminClient,
  [uri = '', name = '']: readonly string[],
  invocation: Invocation,
  isNew: boolean,
): Promise<Result> {
  const members = membersIn(invocation)
  const { users, hash } = await readUsers(client, uri)
  if (users.some(isNamed(name)) === isNew) {
    const message = isNew
      ? `the realm has the user ${name} already: user set changes it`
      : `the realm has no user ${name}: user add makes one`
    throw new CommandError(exitCode.findings, message)
  }
  const path = realmPath(uri, 'users', name)
  const { body } = await client.request('PUT', path, JSON.stringify(members), { hash })
  const warnings = listOf(mapOrEmpty(body).warnings).map(({ message }) => `${shownText(message)}\n`)
  return { value: body, text: `${isNew ? 'added' : 'changed'} ${name}\n${warnings.join('')}` }
}

const verbs: Verbs = {
  list: {
    takes: ['REALM'],
    async run(client, [uri = '']) {
      const { users } = await readUsers(client, uri)
      const value = users.map(({ name, list, member: { groups = [], enabled = true } }) => ({
        ...{ username: name, list, groups, enabled },
      }))
      const rows = value.map(({ username, list, groups, enabled }) => [
        ...[username, list, [groups].flat().join(', '), enabled === false ? 'disabled' : ''],
      ])
      return { value, text: table(['USER', 'LIST', 'GROUPS', ''], rows) }
    },
  },
  get: {
    takes: ['REALM', 'USER'],
    async run(client, [uri = '', name = '']) {
      const found = (await readUsers(client, uri)).users.find(isNamed(name))
      if (!found) throw new CommandError(exitCode.findings, `the realm has no user ${name}`)
      return { value: found.member, text: `${pretty(found.member)}\n` }
    },
  },
  add: {
    takes: ['REALM', 'USER'],
    run: (client, args, invocation) => write(client, args, invocation, true),
  },
  set: {
    takes: ['REALM', 'USER'],
    run: (client, args, invocation) => write(client, args, invocation, false),
  },
  sessions: {
    takes: ['REALM', '[USER]'],
    async run(client, [uri = '', name]) {
      const asked = name === undefined ? '' : `?${new URLSearchParams({ authid: name })}`
      const { body } = await client.request('GET', `${realmPath(uri, 'tickets')}${asked}`)
      const rows = listOf(mapOrEmpty(body).sessions).map((session) => [
        shownText(session.authid),
        shownText(session.provider ?? session.authmethod),
        timeOfSeconds(session.issued_at),
        timeOfSeconds(session.seen_at),
        shownText(session.address),
        shownText(session.node),
      ])
      return { value: body, text: table(['USER', 'BY', 'SINCE', 'SEEN', 'ADDRESS', 'NODE'], rows) }
    },
  },
  logout: {
    takes: ['REALM', 'USER'],
    async run(client, [uri = '', authid]) {
      const sent = JSON.stringify({ authid })
      const { body } = await client.request('POST', realmPath(uri, 'end_sessions'), sent)
      return { value: body, text: `${authid} is logged out everywhere; API keys stay\n` }
    },
  },
  revoke: {
    takes: ['REALM', 'USER'],
    async run(client, [uri = '', name = '']) {
      const path = realmPath(uri, 'users', name, 'revoke_all')
      const { body } = await client.request('POST', path, '{}')
      return { value: body, text: `everything issued to ${name} is revoked\n` }
    },
  },
  delete: {
    takes: ['REALM', 'USER'],
    async run(client, [uri = '', username = '']) {
      await client.request('DELETE', realmPath(uri, 'users', username))
      return { value: { uri, username }, text: `deleted ${username}\n` }
    },
  },
}

/** `user`: `[{username, list, groups, enabled}]`, one user as its realm has it, the response of the gateway, or what a verb has done. */
export const user = runVerb(verbs)
