/** A small valid document, and a way to put anything anywhere in it. */

/** A fresh document with one operation of every kind of action. */
export function makeDocument(): Record<string, unknown> {
  const operation = (action: object) => ({ action, response: { on_result: {}, on_error: {} } })
  return {
    id: 'com.example.api',
    host: '_',
    realm_uri: 'com.example',
    defaults: {},
    versions: {
      '1': {
        base_path: '/v1',
        paths: {
          '/x': {
            get: operation({ type: 'static', body: 'ok' }),
            put: operation({ type: 'forward', host: 'localhost:8080' }),
            post: operation({ type: 'wamp_call', procedure: 'com.example.get' }),
            patch: operation({ type: 'wamp_publish', topic: 'com.example.changed' }),
            options: operation({}),
          },
        },
      },
    },
  }
}

/** The document with a value put at a JSON Pointer, or taken away when it is undefined. */
export function withValue(at: string, value: unknown): Record<string, unknown> {
  const document = makeDocument()
  const keys = at
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = keys.pop()
  if (last === undefined) return document
  let map: Record<string, unknown> = document
  for (const key of keys) {
    map[key] ??= {}
    map = map[key] as Record<string, unknown>
  }
  if (value === undefined) delete map[last]
  else
    Object.defineProperty(map, last, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  return document
}
