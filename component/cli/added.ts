/** The lines about what a document adds: paths, and the redirect URIs to register at providers. */
import type { AddedPath } from '#component/gateway/added-paths.ts'

const redirectLine = ({
  provider,
  uri,
  is_guessed,
}: NonNullable<AddedPath['redirect_uris']>[number]): string => {
  const doubt = is_guessed ? ' (gateway.public_base_url is not set)' : ''
  return `  register at the provider ${provider} as redirect URI: ${uri}${doubt}\n`
}

/** The lines, indented; none where nothing is added. */
export const addedLines = (added: readonly AddedPath[] = []): string =>
  added
    .flatMap(({ kind, methods, host, path, redirect_uris = [] }) => [
      `  adds ${methods.join(', ')} ${host === '_' ? '' : host}${path} (${kind})\n`,
      ...redirect_uris.map(redirectLine),
    ])
    .join('')
