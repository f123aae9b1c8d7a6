/** One instruction of the kernel's packet filter (BPF), which also filters system calls. */
export interface Instruction {
  code: number
  /** Instructions to skip if a comparison is true, and if it is false. */
  ifTrue: number
  ifFalse: number
  value: number
}

const plain = (code: number, value: number): Instruction => ({ code, ifTrue: 0, ifFalse: 0, value })

export const load = (offset: number): Instruction => plain(0x20, offset)
export const mask = (bits: number): Instruction => plain(0x54, bits)
export const answer = (action: number): Instruction => plain(0x06, action)
export const whenEqual = (value: number, ifTrue: number, ifFalse: number): Instruction => ({
  ...plain(0x15, value),
  ifTrue,
  ifFalse,
})
export const whenAtLeast = (value: number, ifTrue: number, ifFalse: number): Instruction => ({
  ...plain(0x35, value),
  ifTrue,
  ifFalse,
})
export const whenAnyBit = (bits: number, ifTrue: number, ifFalse: number): Instruction => ({
  ...plain(0x45, bits),
  ifTrue,
  ifFalse,
})

/** The kernel's format: eight bytes each, little-endian on both supported architectures. */
export const encode = (program: readonly Instruction[]): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  program.forEach(({ code, ifTrue, ifFalse, value }, index) => {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, ifTrue)
    bytes.setUint8(index * 8 + 3, ifFalse)
    bytes.setUint32(index * 8 + 4, value >>> 0, true)
  })
  return new Uint8Array(bytes.buffer)
}
