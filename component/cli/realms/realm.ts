/** `realm`: lists, shows, loads and deletes realm documents, and goes back to earlier versions. */
import { exitCode } from '#component/cli/command.ts'
import { listOf, realmPath, timeOf, versionRows, withoutTs } from '#component/cli/documents.ts'
import { pretty, shownText } from '#component/cli/format.ts'
import { loadRealm } from '#component/cli/load.ts'
import { readSource } from '#component/cli/source-file.ts'
import { table } from '#component/cli/table.ts'
import { usersOf } from '#component/realm/documents/membership.ts'
import { mapOrEmpty } from '#component/syntax/values.ts'
import { runVerb, type Verbs } from './verbs.ts'

const verbs: Verbs = {
  list: {
    takes: [],
    async run(client) {
      const { body } = await client.request('GET', '/realms')
      const value = listOf(body).map((realm) => ({
        uri: realm.uri,
        prototype_uri: realm.prototype_uri ?? null,
        users: usersOf(realm).length,
        ts: realm.ts,
      }))
      const rows = value.map(({ uri, prototype_uri, users, ts }) => [
        ...[shownText(uri), shownText(prototype_uri), String(users), timeOf(ts)],
      ])
      return { value, text: table(['REALM', 'INHERITS FROM', 'USERS', 'LOADED'], rows) }
    },
  },
  get: {
    takes: ['REALM'],
    async run(client, [uri = '']) {
      const { body } = await client.request('GET', realmPath(uri))
      const value = withoutTs(mapOrEmpty(body))
      return { value, text: `${pretty(value)}\n` }
    },
  },
  load: {
    takes: ['FILE…'],
    async run(client, files) {
      const sources = files.map((file) => readSource(file))
      const value = []
      for (const source of sources) value.push(await loadRealm(client, source))
      const isRefused = value.some(({ outcome }) => outcome === 'refused')
      return {
        value,
        text: value.map(({ file, outcome }) => `${file}: ${outcome}\n`).join(''),
        findings: value.flatMap(({ findings }) => findings),
        code: isRefused ? exitCode.findings : exitCode.ok,
      }
    },
  },
  versions: {
    takes: ['REALM'],
    async run(client, [uri = '']) {
      const { body } = await client.request('GET', realmPath(uri, 'versions'))
      return { value: body, text: versionRows(body) }
    },
  },
  rollback: {
    takes: ['REALM', 'HASH'],
    async run(client, [uri = '', hash = '']) {
      const sent = JSON.stringify({ hash })
      const { body } = await client.request('POST', realmPath(uri, 'rollback'), sent)
      return { value: body, text: `loaded ${uri} as of ${hash}\n` }
    },
  },
  delete: {
    takes: ['REALM'],
    async run(client, [uri = '']) {
      await client.request('DELETE', realmPath(uri))
      return { value: { uri }, text: `deleted ${uri}\n` }
    },
  },
}

/** `realm`: `[{uri, prototype_uri, users, ts}]`, the document, `[{file, outcome, id, ts, error, findings}]`, or what a verb has done. */
export const realm = runVerb(verbs)
