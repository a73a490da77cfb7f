/** Memory outside of the heap is given back by the C library, where Node reaches it. */
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'

const module = new URL('../../../component/limits/malloc-trim.ts', import.meta.url).href

/** What a process prints that runs a program with `trimMalloc`. */
function printed(program: string) {
  const text = `import { trimMalloc } from '${module}'; ${program}`
  const args = ['--input-type=module', '--eval', text]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return stdout + stderr
}

describe('trimMalloc', () => {
  it('says nothing, though node:ffi is experimental', () => {
    expect(printed('trimMalloc(); trimMalloc(); console.log("done")')).to.equal('done\n')
  })

  it('does nothing where there is no node:ffi', () => {
    const program = 'process.getBuiltinModule = () => undefined; trimMalloc(); console.log("done")'
    expect(printed(program)).to.equal('done\n')
  })

  it('does nothing where the library cannot be opened', () => {
    const program =
      'process.getBuiltinModule = () => ({ dlopen() { throw new Error() } }); trimMalloc(); console.log("done")'
    expect(printed(program)).to.equal('done\n')
  })

  it('leaves other warnings alone', () => {
    const program = 'trimMalloc(); process.emitWarning("heard")'
    expect(printed(program)).to.include('heard')
  })
})
