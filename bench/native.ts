/** Peers that are not Node's: nginx, also with Nchan, and HAProxy, each with one worker and a configuration made for the run. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Process } from './processes.ts'
import { freePort, type Stage } from './stage.ts'

function listens(port: number): Promise<true | undefined> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(undefined))
    socket.once('connect', () => socket.destroy())
  })
}

/** Waits until a process of ours accepts connections. */
export async function untilListening(
  process: Process,
  port: number,
): Promise<{ process: Process; url: string }> {
  await process.until(() => listens(port))
  return { process, url: `http://127.0.0.1:${port}` }
}

/**
 * nginx with one worker.
 * @param http what goes into its `http` block, given the port to listen on and its folder
 * @param modules lines that load modules
 */
async function startNginx(
  stage: Stage,
  name: string,
  http: (port: number, folder: string) => string,
  modules = '',
) {
  const port = await freePort()
  const nginx = stage.start({
    name,
    program: 'nginx',
    args: (folder) => {
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join('\n  ')
      // started by root, its worker would be somebody who may not read the folder
      const user = process.getuid?.() === 0 ? 'user root;' : ''
      const text = `${modules}
daemon off;
${user}
worker_processes 1;
pid ${folder}/pid;
error_log stderr error;
events { worker_connections 16384; }
http {
  ${paths}
  access_log off;
  keepalive_requests 1000000000;
  ${http(port, folder)}
}
`
      writeFileSync(join(folder, 'nginx.conf'), text)
      return ['-p', folder, '-c', join(folder, 'nginx.conf')]
    },
  })
  return untilListening(nginx, port)
}

/** An upstream that answers one path with one body, and 404 otherwise. */
export function startNginxUpstream(stage: Stage, path: string, body: string) {
  return startNginx(stage, 'upstream', (port, folder) => {
    mkdirSync(join(folder, 'files'))
    writeFileSync(join(folder, 'files/body'), body)
    return `open_file_cache max=10;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = ${path} { alias ${folder}/files/body; default_type application/json; etag off; add_header Last-Modified ""; max_ranges 0; }
    location / { return 404; }
  }`
  })
}

/** nginx as the proxy. */
export const startNginxProxy = (stage: Stage, upstream: string) =>
  startNginx(
    stage,
    'nginx',
    (
      port,
    ) => `upstream bench { server ${new URL(upstream).host}; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / { proxy_pass http://bench; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`,
  )

/** Files of a listener of TLS. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const overTls = ({ process, url }: { readonly process: Process; readonly url: string }) => ({
  process,
  url: url.replace('http:', 'https:'),
})

/** nginx that answers every path with one body, over HTTP/2. */
export const startNginxTls = async (stage: Stage, { cert, key }: Certificate, body: string) =>
  overTls(
    await startNginx(
      stage,
      'nginx',
      (port) => `server {
    listen 127.0.0.1:${port} ssl http2 backlog=4096;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    location / { default_type application/json; return 200 '${body}'; }
  }`,
    ),
  )

/** Caddy on all cores that answers every path with one body, over HTTP/2. */
export async function startCaddy(stage: Stage, { cert, key }: Certificate, body: string) {
  const port = await freePort()
  const process = stage.start({
    name: 'caddy',
    program: 'caddy',
    args: (folder) => {
      const file = join(folder, 'Caddyfile')
      const text = `{
  admin off
  auto_https off
  storage file_system ${folder}
  default_sni localhost
}
https://localhost:${port}, https://127.0.0.1:${port} {
  bind 127.0.0.1
  tls ${cert} ${key}
  header Content-Type application/json
  respond ${'`'}${body}${'`'}
}
`
      writeFileSync(file, text)
      return ['run', '--config', file, '--adapter', 'caddyfile']
    },
  })
  return overTls(await untilListening(process, port))
}

/** Where Debian's libnginx-mod-nchan is. */
const nchanModule = '/usr/lib/nginx/modules/ngx_nchan_module.so'

/** Can nginx be a peer for streams here? */
export const hasNchan = (): boolean => existsSync(nchanModule)

/** nginx as a server of streams: what is posted to `/publish` goes to all who ask for `/live`. */
export const startNchan = (stage: Stage) =>
  startNginx(
    stage,
    'nchan',
    (port) => `server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /publish { nchan_publisher; nchan_channel_id bench; nchan_message_buffer_length 100; nchan_message_timeout 60s; }
    location = /live { nchan_subscriber eventsource; nchan_channel_id bench; nchan_subscriber_first_message newest; }
  }`,
    `load_module ${nchanModule};`,
  )

/** HAProxy with one thread. */
export async function startHaproxy(stage: Stage, upstream: string) {
  const port = await freePort()
  const process = stage.start({
    name: 'haproxy',
    program: 'haproxy',
    args: (folder) => {
      const file = join(folder, 'haproxy.cfg')
      const text = `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend in
  bind 127.0.0.1:${port}
  default_backend upstream
backend upstream
  server upstream ${new URL(upstream).host}
`
      writeFileSync(file, text)
      return ['-db', '-f', file]
    },
  })
  return untilListening(process, port)
}
