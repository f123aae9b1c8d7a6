/** A question of a DNS message, which is all that a query holds. */
export interface Question {
  id: number
  /** Whether the client wants recursion; the answer repeats it. */
  recursion: boolean
  /** As it was asked, but in lower case and without a final dot. */
  name: string
  type: number
  /** Its bytes in the message, which the answer repeats. */
  bytes: Uint8Array
}

export const RECORD_TYPE = { A: 1, MX: 15, TXT: 16, AAAA: 28, SRV: 33 } as const
export const RESULT = { none: 0, failed: 2, unknownName: 3 } as const

const HEADER_BYTES = 12
const INTERNET = 1
const RESPONSE = 0x8000
const OPERATION_BITS = 0x7800
const RECURSION_DESIRED = 0x0100
const RECURSION_AVAILABLE = 0x0080
const LONGEST_NAME = 253
const LONGEST_TEXT = 255

/** The question of a query; undefined if the message is not one that a resolver sends. */
export const readQuestion = (message: Buffer): Question | undefined => {
  if (message.length < HEADER_BYTES) return
  const flags = message.readUInt16BE(2)
  const isQuery = (flags & (RESPONSE | OPERATION_BITS)) === 0
  if (!isQuery || message.readUInt16BE(4) !== 1) return
  const labels: string[] = []
  let at = HEADER_BYTES
  for (;;) {
    const length = message[at]
    // A length above 63 is a pointer, which a question does not need.
    if (length === undefined || length > 63) return
    at += 1
    if (length === 0) break
    labels.push(message.subarray(at, at + length).toString('latin1'))
    at += length
  }
  const name = labels.join('.').toLowerCase()
  if (at + 4 > message.length || name.length > LONGEST_NAME) return
  if (message.readUInt16BE(at + 2) !== INTERNET) return
  return {
    id: message.readUInt16BE(0),
    recursion: (flags & RECURSION_DESIRED) !== 0,
    name,
    type: message.readUInt16BE(at),
    bytes: message.subarray(HEADER_BYTES, at + 4),
  }
}

/** The answer to a question; `records` are the data of records of the type that was asked. */
export const writeAnswer = (
  { id, recursion, type, bytes }: Question,
  result: number,
  records: readonly Uint8Array[] = [],
  ttlSeconds = 0,
): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(id, 0)
  const flags = RESPONSE | RECURSION_AVAILABLE | (recursion ? RECURSION_DESIRED : 0) | result
  header.writeUInt16BE(flags, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  const written = records.flatMap((data) => {
    const fixed = Buffer.alloc(12)
    // The name is the one of the question.
    fixed.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
    fixed.writeUInt16BE(type, 2)
    fixed.writeUInt16BE(INTERNET, 4)
    fixed.writeUInt32BE(ttlSeconds, 6)
    fixed.writeUInt16BE(data.length, 10)
    return [fixed, data]
  })
  return Buffer.concat([header, bytes, ...written])
}

export const writeAddress = (address: string): Uint8Array =>
  Uint8Array.from(address.split('.').map(Number))

/** The data of a record: numbers of 16 bits, then a name. */
export const writeNumbersAndName = (numbers: readonly number[], name: string): Uint8Array => {
  const fixed = Buffer.alloc(numbers.length * 2)
  for (const [index, number] of numbers.entries()) fixed.writeUInt16BE(number, index * 2)
  const labels = name.split('.').filter((label) => label !== '')
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)])
  return Buffer.concat([fixed, ...parts, Buffer.from([0])])
}

/** The data of a text record; texts above 255 bytes arrive in parts already. */
export const writeTexts = (texts: readonly string[]): Uint8Array =>
  Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text).subarray(0, LONGEST_TEXT)
      return [Buffer.from([bytes.length]), bytes]
    }),
  )
