/** HTTP/2 beside peers that speak it, and beside HTTP/1.1 over TLS: the same fixed answer. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Figures } from '#bench/figures.ts'
import { runH2load, type Version } from '#bench/h2load.ts'
import { type Certificate, startCaddy, startNginxTls } from '#bench/native.ts'
import { small } from '#bench/payloads.ts'
import { absentProgram, type Process } from '#bench/processes.ts'
import type { Stage, Trial } from '#bench/stage.ts'
import { staticPath } from './static.ts'

const path = '/about'
const bare = 'bare node:http2'
const ours = 'ours, HTTP/2'
const oursBefore = 'ours, HTTP/1.1 over TLS'

/** One of those that are compared. */
interface Candidate {
  readonly name: string
  readonly version: Version
  readonly process: Process
  readonly url: string
}

/** Of a round. */
const seconds = 2
/** Before the first: on a busy machine V8 would still optimise after seconds. */
const warmUp = 20_000

function writeCertificate(folder: string): Certificate {
  const certificate = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-subj', '/CN=localhost', '-keyout', certificate.key, '-out', certificate.cert],
    ],
    { stdio: 'ignore' },
  )
  return certificate
}

async function candidatesOf(stage: Stage, certificate: Certificate): Promise<Candidate[]> {
  const { cert, key } = certificate
  const body = JSON.stringify(small)
  const peer = async (name: string, version: Version) => {
    const { process, url } = await stage.peer(name, 'static-tls.ts', version, cert, key, body)
    return { name, version, process, url: url.replace('http:', 'https:') }
  }
  const settings = { 'gateway.tls.cert': cert, 'gateway.tls.key': key }
  const gateway = await stage.gateway('ours', { [path]: staticPath(small) }, settings)
  const list: Candidate[] = [
    await peer(bare, '2'),
    { name: ours, version: '2', ...gateway },
    { name: oursBefore, version: '1.1', ...gateway },
    await peer('bare node:https', '1.1'),
  ]
  for (const [program, name, start] of [
    ['nginx', 'nginx, one worker', startNginxTls],
    ['caddy', 'Caddy', startCaddy],
  ] as const) {
    const why = absentProgram(program)
    if (why === undefined)
      list.push({ name, version: '2', ...(await start(stage, certificate, body)) })
    else stage.missing.push({ name, why })
  }
  return list
}

/** A gateway that serves both versions on one port. */
export const http2: Trial = {
  about:
    'a fixed answer of 50 bytes over TLS by h2load, 64 requests on their way: 8 connections of HTTP/2 with 8 streams each, or 64 of HTTP/1.1',
  attempt: async (stage, rounds) => {
    const absent = absentProgram('h2load', 'nghttp2-client')
    if (absent !== undefined) throw new Error(absent)
    const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
    stage.closing(() => rmSync(folder, { recursive: true, force: true }))
    const candidates = await candidatesOf(stage, writeCertificate(folder))
    for (const { url, version } of candidates)
      await runH2load(`${url}${path}`, version, { requests: warmUp })
    const figures = new Figures()
    for (let round = 0; round < rounds; round++) {
      const cpu = new Map<string, number>()
      const rates = new Map<string, number>()
      for (const { name, version, process, url } of candidates) {
        const before = process.cpu()
        const { answers, rate, errors } = await runH2load(`${url}${path}`, version, { seconds })
        const spent = (process.cpu() - before) / answers
        cpu.set(name, spent)
        rates.set(name, rate)
        figures.add(`${name}: requests`, '/s', rate)
        figures.add(`${name}: CPU time of a request`, 'µs', spent)
        figures.add(`${name}: errors`, '', errors)
      }
      const ratio = (values: ReadonlyMap<string, number>, one: string, other: string) =>
        (values.get(one) ?? Number.NaN) / (values.get(other) ?? Number.NaN)
      for (const other of [bare, oursBefore]) {
        figures.add(`${ours}, against ${other}: requests`, '', ratio(rates, ours, other))
        figures.add(`${ours}, against ${other}: CPU time`, '', ratio(cpu, ours, other))
      }
    }
    return figures.all()
  },
}
