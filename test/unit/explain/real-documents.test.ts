/** Every operation of the real documents in test/cases/specs: its path compiles alone, and a rehearsal tells what it would do. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { Rehearser } from '#component/explain/rehearsal.ts'
import { schemesOf } from '#component/explain/stand-ins.ts'
import { watchPath } from '#component/explain/watched-path.ts'
import { typesOf } from '#component/gateway/api.ts'
import { anonymous } from '#component/identity.ts'
import { type Method, methods } from '#component/request.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { compilePorts, ports } from './rehearse.ts'

const folder = join(import.meta.dirname, '../../cases/specs')
const readDocument = (file: string): JsonMap =>
  JSON.parse(readFileSync(join(folder, file), 'utf8')) as JsonMap
/** One of the files is a realm document. */
const files = readdirSync(folder).filter((file) => 'versions' in readDocument(file))

/** A path that the pattern matches: every optional segment, a number for each binding. */
const pathOf = (pattern: string): string =>
  pattern.replaceAll('[...]', 'rest').replaceAll(/[[\]]/g, '').replaceAll(/:\w+/g, '7') || '/'

describe('a rehearsal of', () => {
  for (const file of files) {
    it(`${file} runs each operation, and reaches its actions or tells why not`, async () => {
      const document = readDocument(file)
      const { api } = compileDocument(document, compilePorts)
      const entries = api?.entries ?? []
      expect(entries, file).to.not.have.length(0)
      for (const { path, pattern, host, routes } of entries) {
        const watched = watchPath(document, path, compilePorts)
        for (const method of Object.keys(routes) as Method[]) {
          expect(methods).to.include(method)
          const live = routes[method]
          if (!watched || live === undefined || live.kind !== undefined) continue
          const rehearser = new Rehearser(watched.table, ports, watched.recorder)
          const { operation, actions, checks, expressions, sent } = await rehearser.run({
            request: { method, path: pathOf(pattern), host: host.replaceAll(/[[\]*]/g, '') },
            schemes: schemesOf(({ realm_uri }) => anonymous(realm_uri)),
            ...{ id: 'an-id', now: 0, seed: file },
          })
          const place = `${file} ${method} ${pattern}`
          expect(operation?.at, place).to.equal(live.at)
          expect(checks[0]?.step, place).to.equal('scheme')
          const isTold =
            actions.length > 0 ||
            typesOf(live).includes('none') ||
            expressions.some(({ failure }) => failure !== undefined) ||
            checks.at(-1)?.passed === false
          expect(isTold, `${place} ${JSON.stringify(sent)}`).to.equal(true)
          expect(sent?.status, place).to.be.within(200, 599)
        }
      }
    })
  }
})
