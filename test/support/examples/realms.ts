/** The realms that tests use, on whichever router: open to anonymous sessions. */
export const testRealms = [
  'service.gateway',
  'com.example.test',
  'com.example.longpoll',
  'com.example.admin',
  'com.example.realm',
  'com.example.hello',
  'com.timeout_api',
  'com.myapi',
] as const
