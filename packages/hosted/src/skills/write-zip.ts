import { crc32, deflateRawSync } from 'node:zlib'

interface ZipEntry {
  path: string
  bytes: Uint8Array
}

const DEFLATED = 8
/** Names are UTF-8. */
const FLAGS = 0x0800
/** 1 January 1980, so that equal files make equal archives. */
const DATE = 0x0021
const VERSION = 20
/** Made on Unix, where the upper half of the attributes is the mode. */
const MADE_BY = (3 << 8) | VERSION
const MODE = 0o100644
const EXECUTABLE = 0o100755

/** A zip archive of small files, in memory. */
export const writeZip = (entries: readonly ZipEntry[]): Uint8Array<ArrayBuffer> => {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const { path, bytes } of entries) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(bytes)
    const common = describe(bytes, packed, name)
    const local = Buffer.concat([toBytes(4, 0x04034b50), common, name])
    parts.push(local, packed)
    const mode = isScript(bytes) ? EXECUTABLE : MODE
    directory.push(
      Buffer.concat([
        toBytes(4, 0x02014b50),
        toBytes(2, MADE_BY),
        common,
        // Comment length, disk, internal attributes.
        toBytes(2, 0, 0, 0),
        toBytes(4, mode * 0x10000, offset),
        name,
      ]),
    )
    offset += local.length + packed.length
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0)
  const end = Buffer.concat([
    toBytes(4, 0x06054b50),
    toBytes(2, 0, 0, entries.length, entries.length),
    toBytes(4, size, offset),
    toBytes(2, 0),
  ])
  return new Uint8Array(Buffer.concat([...parts, ...directory, end]))
}

/** Uploads carry no modes, so a file that names its interpreter counts as a program. */
export const isScript = (bytes: Uint8Array): boolean => bytes[0] === 0x23 && bytes[1] === 0x21

const describe = (bytes: Uint8Array, packed: Uint8Array, name: Uint8Array): Uint8Array =>
  Buffer.concat([
    toBytes(2, VERSION, FLAGS, DEFLATED, 0, DATE),
    toBytes(4, crc32(bytes), packed.length, bytes.length),
    toBytes(2, name.length, 0),
  ])

const toBytes = (width: 2 | 4, ...numbers: readonly number[]): Uint8Array => {
  const buffer = Buffer.alloc(width * numbers.length)
  for (const [index, number] of numbers.entries())
    if (width === 2) buffer.writeUInt16LE(number, index * width)
    else buffer.writeUInt32LE(number >>> 0, index * width)
  return buffer
}
