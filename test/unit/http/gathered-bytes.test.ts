/** The pieces of a body put together. */
import { expect } from 'chai'
import fc from 'fast-check'
import { GatheredBytes } from '#http/body/gathered-bytes.ts'

const gather = (pieces: readonly Buffer[]) => {
  const gathered = new GatheredBytes()
  for (const piece of pieces) gathered.add(piece)
  return gathered
}

const filled = (size: number, value: number) => Buffer.alloc(size, value)

describe('GatheredBytes', () => {
  it('gives back what was added, in order, however it was cut', () => {
    const sizes = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 400_000 })),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(sizes, (all) => {
        const pieces = all.map((size, index) => filled(size, index + 1))
        expect(gather(pieces).take().equals(Buffer.concat(pieces))).to.equal(true)
      }),
      { numRuns: 200 },
    )
  })

  it('gives a body of one small piece as it came', () => {
    const piece = filled(1000, 1)
    expect(gather([piece]).take()).to.equal(piece)
  })

  it('does not need the pieces of a large body any more once they were added', () => {
    const piece = filled(65_536, 1)
    const gathered = gather([filled(65_536, 1)])
    gathered.add(piece)
    piece.fill(2)
    expect(gathered.take().equals(filled(131_072, 1))).to.equal(true)
  })

  describe('its blocks', () => {
    const allocate = Buffer.allocUnsafeSlow
    let made: Buffer[] = []
    beforeEach(() => {
      made = []
      Buffer.allocUnsafeSlow = (size) => {
        const block = allocate(size)
        made.push(block)
        return block
      }
    })
    afterEach(() => {
      Buffer.allocUnsafeSlow = allocate
    })
    const sizes = () => made.map(({ length }) => length)

    it('grow with what has come, up to 1 MiB', () => {
      gather(Array.from({ length: 60 }, () => filled(65_536, 1)))
      expect(sizes()).to.deep.equal([131_072, 262_144, 524_288, 1_048_576, 1_048_576, 1_048_576])
    })

    it('are freed at once when they are taken', () => {
      const whole = gather([filled(5_000_000, 1)]).take()
      expect(made.at(-1)).to.equal(whole)
      expect(sizes().slice(0, -1)).to.have.length.above(4)
      expect(new Set(sizes().slice(0, -1))).to.deep.equal(new Set([0]))
    })

    it('are freed at once when they are dropped', () => {
      gather([filled(5_000_000, 1)]).drop()
      expect(sizes()).to.have.length.above(4)
      expect(new Set(sizes())).to.deep.equal(new Set([0]))
    })
  })
})
