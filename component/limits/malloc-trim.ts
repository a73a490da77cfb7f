/** Returns memory of closed connections to the system: the allocator of glibc keeps it as long as anything behind it is in use. */

/** The library of glibc; others have no such function, and need none. */
const library = 'libc.so.6'

let known: (() => void) | undefined

/**
 * Gives free pages of the C library back (`malloc_trim(0)`, glibc): those of TLS, HTTP/2 and buffers, which V8 knows nothing of. It takes about 0.1 ms
 * for each megabyte that is free. Does nothing where Node has no `node:ffi` (before 26), or the system another library.
 */
export function trimMalloc(): void {
  known ??= functionOf()
  known()
}

function functionOf(): () => void {
  const { emitWarning } = process
  try {
    // that node:ffi is experimental is of no interest to operators: without it all goes on, with more memory
    process.emitWarning = () => {}
    const ffi = process.getBuiltinModule?.('node:ffi')
    const signature = { arguments: ['u64'], return: 'i32' } as const
    const trim = ffi?.dlopen(library, { malloc_trim: signature }).functions.malloc_trim
    return () => void trim?.(0n)
  } catch {
    return () => undefined
  } finally {
    process.emitWarning = emitWarning
  }
}
