/** `key`: the API keys of a realm. */
import { CommandError, exitCode } from '#component/cli/command.ts'
import { listOf, realmPath, timeOf } from '#component/cli/documents.ts'
import { shownText } from '#component/cli/format.ts'
import { table } from '#component/cli/table.ts'
import { mapOrEmpty } from '#component/syntax/values.ts'
import { pathOf } from '#procedures/definition/procedure.ts'
import { runVerb, timeOfSeconds, type Verbs } from './verbs.ts'

/** Seconds in each unit. */
const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** The seconds of `90d`, `12h`, `30m`, `3600s`. @throws CommandError for another text */
function secondsIn(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (units[unit] ?? Number.NaN)
  if (Number.isInteger(seconds)) return seconds
  const message = `--expires: expected a number and s, m, h or d, such as 90d; found "${text}"`
  throw new CommandError(exitCode.usage, message)
}

const verbs: Verbs = {
  list: {
    takes: ['REALM'],
    async run(client, [uri = '']) {
      const { body } = await client.request('GET', realmPath(uri, 'api_keys'))
      const rows = listOf(body).map(({ id, name, username, last_used, ts, exp }) => [
        ...[shownText(id), shownText(name), shownText(username), timeOfSeconds(last_used)],
        ...[timeOf(ts), timeOfSeconds(exp)],
      ])
      const head = ['ID', 'NAME', 'USER', 'LAST USED', 'MADE', 'ENDS']
      return { value: body, text: table(head, rows) }
    },
  },
  add: {
    takes: ['REALM', 'USER'],
    async run(client, [uri = '', user = ''], invocation) {
      const [name, expires] = [invocation.option('name'), invocation.option('expires')]
      const sent = JSON.stringify({
        ...(name !== undefined && { name }),
        ...(expires !== undefined && { expiry_time_secs: secondsIn(expires) }),
      })
      const { body } = await client.request('POST', realmPath(uri, 'users', user, 'api_keys'), sent)
      return { value: body, text: `${shownText(mapOrEmpty(body).api_key)}\n` }
    },
  },
  revoke: {
    takes: ['ID'],
    async run(client, [id = '']) {
      await client.request('DELETE', pathOf('api_keys', id))
      return { value: { id }, text: `revoked ${id}\n` }
    },
  },
}

/** `key`: `[{id, name, username, ts, last_used, exp}]`, `{id, api_key, ts, exp, name}` of a new key, which people are told alone, or `{id}`. */
export const key = runVerb(verbs)
