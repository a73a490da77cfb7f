/** HAProxy as docs/clustering.md shows it, in front of the nodes of a test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ClusterNode } from './cluster-node.ts'

/** The configuration that the documentation shows, for these nodes. */
export function configurationFor(
  port: number,
  nodes: readonly Pick<ClusterNode, 'url' | 'adminUrl'>[],
): string {
  const page = readFileSync(join(import.meta.dirname, '../../docs/clustering.md'), 'utf8')
  let text = /^```haproxy\n(.*?)^```/ms.exec(page)?.[1] ?? ''
  for (const line of [
    'retries 2',
    'option redispatch 1',
    'retry-on conn-failure',
    'on-marked-down shutdown-sessions',
  ]) {
    expect(text).to.include(line)
  }
  text = text.replace('127.0.0.1:8000', `127.0.0.1:${port}`)
  for (const [index, { url, adminUrl }] of nodes.entries()) {
    const line = new RegExp(`server gateway-${index + 1} \\S+ check port \\d+`)
    expect(text).to.match(line)
    text = text.replace(
      line,
      `server gateway-${index + 1} ${new URL(url).host} check port ${new URL(adminUrl).port}`,
    )
  }
  // servers of the page that this test has not
  return text.replace(/^ +server gateway-\d \S+ check port \d+\n/gm, (line) =>
    nodes.some(({ url }) => line.includes(` ${new URL(url).host} `)) ? line : '',
  )
}

/** Starts it by a file. */
export async function startHaproxy(file: string): Promise<ChildProcess> {
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const missing = once(child, 'error').then(() => {
    throw new Error('there is no haproxy here: apt-get install haproxy')
  })
  missing.catch(() => undefined)
  await Promise.race([once(child, 'spawn'), missing])
  child.once('exit', (code) => {
    if (code) process.stderr.write(`haproxy: ${code} ${said}\n`)
  })
  return child
}
