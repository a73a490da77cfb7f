/** A request as a command of curl, for a shell of POSIX. */

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * @param {{ method: string, url: string, headers: Record<string, string>, body?: string }} request
 * @returns {string} one argument a line
 */
export const curlOf = ({ method, url, headers, body }) =>
  [
    `curl -i -X ${method.toUpperCase()} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${quoted(body)}`] : []),
  ].join(' \\\n  ')
