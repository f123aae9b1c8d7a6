import { resolveMx, resolveSrv, resolveTxt } from 'node:dns/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { reasonOf, StewardError } from '@steward/contract'
import { isAddress } from '@steward/platform'
import type { Resolve } from '../dial.ts'
import type { EgressDecision } from '../egress.ts'
import type { HostRules } from '../host-rules.ts'
import { parseTarget } from '../target.ts'
import {
  type Question,
  RECORD_TYPE,
  RESULT,
  readQuestion,
  writeAddress,
  writeAnswer,
  writeNumbersAndName,
  writeTexts,
} from './dns-message.ts'
import type { StandInAddresses } from './stand-in-addresses.ts'

export interface NameServerOptions {
  rules: HostRules
  resolve: Resolve
  addresses: StandInAddresses
  note(decision: Omit<EgressDecision, 'sessionId'>): void
}

const DNS_PORT = 53
const TTL_SECONDS = 60
const MAX_CONNECTIONS = 64
/** Lookups occupy threads that the whole process shares. */
const LOOKUPS_AT_ONCE = 2

/**
 * Answers the DNS queries of a sandbox, in the framing of DNS over TCP. Names that the environment
 * does not allow are never looked up, so that queries carry nothing out.
 */
export const createNameServer = (options: NameServerOptions): Server => {
  const inTurn = createQueue(LOOKUPS_AT_ONCE)
  const server = createServer((socket) =>
    serve(socket, (message) => inTurn(() => answerQuery(message, options))),
  )
  server.maxConnections = MAX_CONNECTIONS
  return server
}

const serve = (socket: Socket, answer: (message: Buffer) => Promise<Buffer | undefined>): void => {
  let held = Buffer.alloc(0)
  let before = Promise.resolve()
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    held = Buffer.concat([held, Buffer.from(chunk)])
    for (;;) {
      const end = held.length < 2 ? Number.POSITIVE_INFINITY : 2 + held.readUInt16BE(0)
      if (held.length < end) return
      const message = held.subarray(2, end)
      held = held.subarray(end)
      // A client that sends faster than names are resolved waits.
      socket.pause()
      before = before.then(async () => {
        const answered = await answer(message)
        if (answered === undefined) return void socket.destroy()
        const length = Buffer.alloc(2)
        length.writeUInt16BE(answered.length)
        socket.write(Buffer.concat([length, answered]))
        socket.resume()
      })
    }
  })
}

const answerQuery = async (
  message: Buffer,
  options: NameServerOptions,
): Promise<Buffer | undefined> => {
  const question = readQuestion(message)
  if (question === undefined) return
  const { name } = question
  // As a connection to it would be judged.
  const host = parseTarget(`${name}:${DNS_PORT}`)?.host
  if (host !== name || isAddress(host)) return writeAnswer(question, RESULT.unknownName)
  const { allowed, reason } = options.rules(withoutService(name))
  if (!allowed) {
    // Programs ask for both kinds of addresses at once; one note is enough.
    if (question.type !== RECORD_TYPE.AAAA) refuse(name, reason, options)
    return writeAnswer(question, RESULT.unknownName)
  }
  try {
    const records = await findRecords(question, options)
    return writeAnswer(question, RESULT.none, records, TTL_SECONDS)
  } catch (thrown) {
    if (thrown instanceof StewardError) refuse(name, reasonOf(thrown), options)
    return writeAnswer(question, resultOf(thrown))
  }
}

const refuse = (host: string, reason: string, { note }: NameServerOptions): void =>
  note({ host, port: DNS_PORT, way: 'name', allowed: false, reason, credentials: [] })

/** `_service._tcp.example.com` belongs to `example.com`. */
const withoutService = (name: string): string => name.replace(/^(_[^.]+\.)+/, '')

const findRecords = async (
  { name, type }: Question,
  { resolve, addresses }: NameServerOptions,
): Promise<Uint8Array[]> => {
  switch (type) {
    case RECORD_TYPE.A:
      await resolve(name)
      return [writeAddress(addresses.give(name))]
    case RECORD_TYPE.MX:
      return (await resolveMx(name)).map(({ priority, exchange }) =>
        writeNumbersAndName([priority], exchange),
      )
    case RECORD_TYPE.SRV:
      return (await resolveSrv(name)).map(({ priority, weight, port, name: target }) =>
        writeNumbersAndName([priority, weight, port], target),
      )
    case RECORD_TYPE.TXT:
      return (await resolveTxt(name)).map(writeTexts)
    default:
      return []
  }
}

const resultOf = (thrown: unknown): number => {
  if (thrown instanceof StewardError) return RESULT.unknownName
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'ENODATA') return RESULT.none
  return code === 'ENOTFOUND' ? RESULT.unknownName : RESULT.failed
}

/** Runs a few tasks at a time; others wait for their turn. */
const createQueue = (limit: number) => {
  const waiting: Array<() => void> = []
  let running = 0
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
