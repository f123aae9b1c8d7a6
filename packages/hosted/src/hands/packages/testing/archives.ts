import { crc32, gzipSync } from 'node:zlib'

/** Contents by path. */
export type Files = Readonly<Record<string, string>>

const BLOCK = 512
const EXECUTABLE = '0000755'

/** A gzipped tar, as npm and cargo ship packages. */
export const makeTarball = (files: Files): Buffer =>
  gzipSync(
    Buffer.concat([
      ...Object.entries(files).flatMap(([path, text]) => {
        const body = Buffer.from(text)
        const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)
        return [describeEntry(path, body.length), body, padding]
      }),
      Buffer.alloc(2 * BLOCK),
    ]),
  )

const describeEntry = (path: string, size: number): Buffer => {
  const header = Buffer.alloc(BLOCK)
  const put = (offset: number, text: string) => header.write(text, offset, 'latin1')
  put(0, path)
  put(100, EXECUTABLE)
  put(108, '0000000')
  put(116, '0000000')
  put(124, size.toString(8).padStart(11, '0'))
  put(136, '00000000000')
  // The checksum field itself counts as spaces.
  put(148, ' '.repeat(8))
  put(156, '0')
  put(257, 'ustar\u000000')
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `)
  return header
}

/** A zip without compression, as Python's wheels and Go's modules are. */
export const makeZip = (files: Files): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path)
    const body = Buffer.from(text)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x21, 8)
    common.writeUInt32LE(crc32(body), 10)
    common.writeUInt32LE(body.length, 14)
    common.writeUInt32LE(body.length, 18)
    common.writeUInt16LE(name.length, 22)
    const place = Buffer.alloc(16)
    place.writeUInt32LE(offset, 12)
    parts.push(Buffer.from('PK\x03\x04'), common, name, body)
    directory.push(Buffer.from('PK\x01\x02\x14\0'), common, place.subarray(2), name)
    offset += 30 + name.length + body.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Object.keys(files).length, 4)
  end.writeUInt16LE(Object.keys(files).length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06'), end])
}
