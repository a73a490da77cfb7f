/** Strings that have sent browsers elsewhere, by class: what open redirects are tried with. */

const hosts = [
  'evil.com',
  'evil.com/x',
  'evil.com:443/',
  '[::1]',
  '2130706433',
  'app.api.example.evil.com',
]

/** Every prefix before every host. */
const each = (prefixes: readonly string[], behind: readonly string[] = hosts): string[] =>
  prefixes.flatMap((prefix) => behind.map((host) => prefix + host))

const controls = [
  '\0',
  '\x01',
  '\x08',
  '\t',
  '\n',
  '\v',
  '\f',
  '\r',
  '\r\n',
  '\x1b',
  '\x1f',
  '\x7f',
  '\x85',
  '\u2028',
]

/** Dots and slashes that are none, until somebody normalizes them. */
const looksLikeSlash = ['\uff0f', '\u2044', '\u2215', '\u29f8', '\uff3c', '\u2216']
const looksLikeDot = ['\u3002', '\uff0e', '\uff61', '\u2024']

export const openRedirects: Readonly<Record<string, readonly string[]>> = {
  schemes: each([
    ...['http://', 'https://', 'HTTPS://', 'https:', 'https:/', 'https:///', 'http:'],
    ...['ftp://', 'ws://', 'wss://', 'javascript://', 'intent://'],
  ]),
  slashes: each([
    ...['//', '///', '////', '//////', '//./', '//../', '//@', '//#@', '//?@', '//%00', './/', ''],
  ]),
  backslashes: each([
    ...[
      '\\\\',
      '/\\',
      '\\/',
      '/\\/',
      '\\',
      '/\\\\',
      '//\\',
      '\\\\\\',
      '/x/..\\\\',
      'https:\\\\',
      '/ \\',
    ],
  ]),
  'control characters': each(
    controls.flatMap((character) => [
      ...[`/${character}/`, `${character}//`, `/${character}\\`, `/x${character}//`],
      `ht${character}tps://`,
    ]),
    ['evil.com'],
  ),
  userinfo: each([
    ...['https://app.api.example@', 'https://app.api.example:x@', '//app.api.example@'],
    ...['https://app.api.example%40', '//app.api.example:443@', 'https://a:b@', '//%40'],
    ...['https://app.api.example\\@', '/@', '//;@', 'http:app.api.example@'],
  ]),
  IDN: [
    ...each(
      looksLikeSlash.flatMap((slash) => [slash + slash, `/${slash}`, `https:${slash}${slash}`]),
      ['evil.com', 'evil.com/x'],
    ),
    ...each(
      ['https://', '//', '/\\'],
      [
        ...looksLikeDot.map((dot) => `evil${dot}com`),
        ...['еvil.com', 'xn--vil-ycd.com', 'ⓔⓥⓘⓛ.com', 'app.api.example\u200b.evil.com', 'faß.de'],
      ],
    ),
  ],
  'data:': each(
    [
      'data:',
      'DATA:',
      'data://',
      ' data:',
      'da\tta:',
      '\ndata:',
      '/data:x\n',
      'javascript:',
      'vbscript:',
    ],
    [
      ...[
        'text/html,<script>alert(1)</script>',
        'text/html;base64,PHNjcmlwdD4=',
        ',x',
        '//evil.com',
      ],
      ...['alert(1)', 'text/html;charset=utf-8,%3Cscript%3E'],
    ],
  ),
  encodings: each([
    ...[
      '/%5c',
      '/%5C',
      '/%2f',
      '/%2F',
      '/%00/',
      '/x/%2f%2f',
      '%2f%2f',
      '%5c%5c',
      '/%5c%2f',
      '/%2e%2e%2f%2f',
    ],
    ...['https%3a%2f%2f', '/%zz/', '/%', '/%2', '/\u00e9//'],
  ]),
}
