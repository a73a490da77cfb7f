/** Who of many clients is let in. */
import { expect } from 'chai'
import { Admission } from '#component/router/limits/admission.ts'

const admitted = (admission: Admission, address: string, count: number): number => {
  let entered = 0
  for (let turn = 0; turn < count; turn++) if (admission.tryEnter(address)) entered += 1
  return entered
}

describe('Admission', () => {
  let refused: number
  const count = () => {
    refused += 1
  }
  beforeEach(() => {
    refused = 0
  })

  it('leaves half of the places to other addresses, and half of the rest to yet others', () => {
    const admission = new Admission(16, count)
    const counts = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']
    expect(counts.map((address) => admitted(admission, address, 100))).to.deep.equal([
      8, 4, 2, 1, 1,
    ])
    expect(admission.tryEnter('192.0.2.6')).to.equal(false)
    expect([admission.count, refused]).to.deep.equal([16, 5 * 100 - 16 + 1])
  })

  it('takes the addresses of an IPv6 network as one', () => {
    const admission = new Admission(4, count)
    expect(admitted(admission, '2001:db8::1', 9)).to.equal(2)
    expect(admitted(admission, '2001:db8::2', 9)).to.equal(0)
    expect(admitted(admission, '2001:db8:0:1::1', 9)).to.equal(1)
  })

  it('gives places back', () => {
    const admission = new Admission(4, count)
    admitted(admission, '192.0.2.1', 2)
    admission.leave('192.0.2.1')
    expect(admission.count).to.equal(1)
    expect(admission.tryEnter('192.0.2.1')).to.equal(true)
    expect(admission.tryEnter('192.0.2.1')).to.equal(false)
  })
})
