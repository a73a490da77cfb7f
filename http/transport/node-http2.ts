/** node:http2, loaded when it is first used: a gateway without HTTP/2 keeps 6 MB and 13 ms. */
export const http2 = (): typeof import('node:http2') => process.getBuiltinModule('node:http2')
