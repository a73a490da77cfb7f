/** nginx, Caddy and HAProxy as deploy/ configures them, over TLS in front of a gateway on this machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { debianProgram, deployFolder } from '#test/deploy/programs.ts'
import { type WrittenCertificate, writeCertificate } from '#test/support/certificate.ts'
import { run } from '#test/support/command.ts'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/running/until.ts'

/** Where a proxy listens, what it serves, and the files that it may write. */
interface Place {
  readonly port: number
  /** Host and port of the gateway. */
  readonly upstream: string
  readonly certificate: WrittenCertificate
  readonly folder: string
}

/** The text with each part replaced. @throws Error for a part that is not there */
function replaced(text: string, parts: Readonly<Record<string, string>>): string {
  let configuration = text
  for (const [part, other] of Object.entries(parts)) {
    if (!configuration.includes(part)) throw new Error(`the configuration has no ${part}`)
    configuration = configuration.replaceAll(part, other)
  }
  return configuration
}

const read = (file: string) => readFileSync(file, 'utf8')
const readDeploy = (file: string) => read(join(deployFolder, file))

/** A proxy: its command, and its configuration, which is written to `file`. */
interface Proxy {
  readonly program: () => string
  configuration(place: Place): string
  check(file: string): readonly string[]
  serve(file: string): readonly string[]
}

const proxies = {
  nginx: {
    program: () => debianProgram('nginx', 'nginx-light'),
    configuration({ port, upstream, certificate, folder }) {
      const file = replaced(readDeploy('nginx.conf'), {
        'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
        'server 127.0.0.1:18080': `server ${upstream}`,
        'gateway.example.com;': 'localhost;',
        '/etc/ssl/certs/gateway.example.com.pem': certificate.cert,
        '/etc/ssl/private/gateway.example.com.key': certificate.key,
      })
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join('\n')
      return `pid ${folder}/nginx.pid;\ndaemon off;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${file}}\n`
    },
    check: (file) => ['-t', '-c', file],
    serve: (file) => ['-c', file],
  },
  Caddy: {
    program: () => debianProgram('caddy', 'caddy'),
    configuration({ port, upstream, certificate }) {
      const file = replaced(readDeploy('Caddyfile'), {
        'gateway.example.com {': `localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate.cert} ${certificate.key}`,
        '127.0.0.1:18080': upstream,
      })
      return `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n${file}`
    },
    check: (file) => ['validate', '--adapter', 'caddyfile', '--config', file],
    serve: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  HAProxy: {
    program: () => debianProgram('haproxy', 'haproxy'),
    configuration({ port, upstream, certificate, folder }) {
      const both = join(folder, 'both.pem')
      writeFileSync(both, read(certificate.cert) + read(certificate.key))
      // the servers are the containers of a service, found by name, up to the end of the file
      const servers = / +# the containers of the service[\s\S]*/
      const text = readDeploy('compose/haproxy.cfg').replace(
        servers,
        `  server gateway ${upstream}\n`,
      )
      return replaced(text, {
        'bind :8000': `bind 127.0.0.1:${port} ssl crt ${both} alpn h2,http/1.1`,
      })
    },
    check: (file) => ['-c', '-f', file],
    serve: (file) => ['-db', '-f', file],
  },
} as const satisfies Readonly<Record<string, Proxy>>

/** The names of the proxies. */
export type ProxyName = keyof typeof proxies

/** A proxy that serves `https://localhost:<port>`. */
export interface RunningProxy {
  readonly port: number
  /** The certificates that its clients are to trust, as PEM, and as browsers are told. */
  readonly ca: string
  readonly authorityPin: string
  /** Lets the proxy itself check its configuration; its exit code, and what it says. */
  check(): Promise<{ readonly code: number | null; readonly stderr: string }>
  stop(): Promise<void>
}

const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}

/**
 * Starts one on a free port.
 * @param gateway base address of the gateway listener
 * @param change of its configuration
 */
export async function startProxy(
  name: ProxyName,
  gateway: string,
  change: (configuration: string) => string = (text) => text,
): Promise<RunningProxy> {
  const proxy: Proxy = proxies[name]
  const program = proxy.program()
  const folder = mkdtempSync(join(tmpdir(), 'gateway-proxy-'))
  const home = join(folder, 'home')
  mkdirSync(home)
  const certificate = writeCertificate(folder)
  const port = await freePort()
  const file = join(folder, 'configuration')
  const place = { port, upstream: new URL(gateway).host, certificate, folder }
  writeFileSync(file, change(proxy.configuration(place)))
  const environment = { PATH: process.env.PATH, HOME: home }
  const child = spawn(program, proxy.serve(file), { env: environment, stdio: 'ignore' })
  await until(`${name} listens`, () => listens(port), 20_000)
  return {
    port,
    ca: read(certificate.cert),
    authorityPin: certificate.authorityPin,
    check: () => run(program, proxy.check(file), folder, { HOME: home }),
    async stop() {
      if (child.exitCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
