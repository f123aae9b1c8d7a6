import { StewardError } from '@steward/contract'

type Decoded = Record<string, unknown>
/** Fields by number: the name in OTLP's JSON, and how the bytes are read. Others are skipped. */
type Message = Readonly<Record<number, Field>>
interface Field {
  name: string
  read: 'text' | 'bool' | 'int' | 'fixed' | 'double' | (() => Message)
  isRepeated?: true
}

const anyValue: Message = {
  1: { name: 'stringValue', read: 'text' },
  2: { name: 'boolValue', read: 'bool' },
  3: { name: 'intValue', read: 'int' },
  4: { name: 'doubleValue', read: 'double' },
}
const keyValue: Message = {
  1: { name: 'key', read: 'text' },
  2: { name: 'value', read: () => anyValue },
}
const attributes: Field = { name: 'attributes', read: () => keyValue, isRepeated: true }
const resource: Message = { 1: attributes }

const logRecord: Message = {
  1: { name: 'timeUnixNano', read: 'fixed' },
  5: { name: 'body', read: () => anyValue },
  6: attributes,
  11: { name: 'observedTimeUnixNano', read: 'fixed' },
  12: { name: 'eventName', read: 'text' },
}
const scopeLogs: Message = { 2: { name: 'logRecords', read: () => logRecord, isRepeated: true } }

const numberDataPoint: Message = {
  2: { name: 'startTimeUnixNano', read: 'fixed' },
  3: { name: 'timeUnixNano', read: 'fixed' },
  4: { name: 'asDouble', read: 'double' },
  6: { name: 'asInt', read: 'fixed' },
  7: attributes,
}
const sum: Message = {
  1: { name: 'dataPoints', read: () => numberDataPoint, isRepeated: true },
  2: { name: 'aggregationTemporality', read: 'int' },
  3: { name: 'isMonotonic', read: 'bool' },
}
const metric: Message = { 1: { name: 'name', read: 'text' }, 7: { name: 'sum', read: () => sum } }
const scopeMetrics: Message = { 2: { name: 'metrics', read: () => metric, isRepeated: true } }

const requestOf = (name: string, scopes: string, scope: Message): Message => {
  const group: Message = {
    1: { name: 'resource', read: () => resource },
    2: { name: scopes, read: () => scope, isRepeated: true },
  }
  return { 1: { name, read: () => group, isRepeated: true } }
}
const REQUESTS = {
  logs: requestOf('resourceLogs', 'scopeLogs', scopeLogs),
  metrics: requestOf('resourceMetrics', 'scopeMetrics', scopeMetrics),
  /** Spans are not used, so they are only recognised. */
  traces: requestOf('resourceSpans', 'scopeSpans', {}),
} as const

/**
 * An OTLP request in protobuf, as the JSON that OTLP defines for it; 64-bit numbers are texts there.
 * Throws `invalid_input` if the bytes are no such request.
 */
export const decodeOtlp = (kind: keyof typeof REQUESTS, bytes: Uint8Array): Decoded => {
  const request = REQUESTS[kind]
  const decoded = decodeMessage(request, bytes)
  // A request without records is legal, and has no bytes at all.
  for (const { name } of Object.values(request)) decoded[name] ??= []
  return decoded
}

const decodeMessage = (message: Message, bytes: Uint8Array): Decoded => {
  const decoded: Decoded = {}
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const take = (count: number): number => {
    const from = at
    if (count < 0 || from + count > bytes.length) throw broken('it is cut off')
    at += count
    return from
  }
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = view.getUint8(take(1))
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw broken('a number is too long')
  }
  const part = (): Uint8Array => {
    const length = Number(varint())
    const from = take(length)
    return bytes.subarray(from, from + length)
  }
  const readAs: Record<WireType, (field: Field | undefined) => unknown> = {
    0: (field) => {
      const value = varint()
      if (field?.read === 'bool') return value !== 0n
      const isSmall = value <= Number.MAX_SAFE_INTEGER && field?.name === 'aggregationTemporality'
      return isSmall ? Number(value) : String(BigInt.asIntN(64, value))
    },
    1: (field) => {
      const from = take(8)
      return field?.read === 'double'
        ? view.getFloat64(from, true)
        : String(view.getBigInt64(from, true))
    },
    2: (field) => {
      const inner = part()
      if (field?.read === 'text') return new TextDecoder().decode(inner)
      return typeof field?.read === 'function' ? decodeMessage(field.read(), inner) : undefined
    },
    5: () => void take(4),
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const field = message[tag >>> 3]
    const wire = tag & 7
    if (!isWireType(wire)) throw broken(`wire type ${wire} is unknown`)
    const value = readAs[wire](field)
    if (field === undefined || value === undefined) continue
    const before = decoded[field.name]
    if (!field.isRepeated) decoded[field.name] = value
    else if (Array.isArray(before)) before.push(value)
    else decoded[field.name] = [value]
  }
  return decoded
}

type WireType = 0 | 1 | 2 | 5
const isWireType = (wire: number): wire is WireType => [0, 1, 2, 5].includes(wire)

const broken = (reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'the OTLP request', reason })
